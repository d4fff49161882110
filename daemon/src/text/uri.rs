//! `file:` URIs in the one form that everything here uses.

use std::path::Path;

/// The URI of an absolute path. The same path always gives the same string, which is the document's key
/// in Lean. `None` for a relative path.
pub(crate) fn file_uri(path: &Path) -> Option<String> {
    url::Url::from_file_path(path).ok().map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_are_escaped() {
        assert_eq!(
            file_uri(Path::new("/a b/ä#?.lean")).as_deref(),
            Some("file:///a%20b/%C3%A4%23%3F.lean")
        );
        assert_eq!(file_uri(Path::new("a.lean")), None);
    }
}
