//! One server in a TOML file that belongs to somebody else. Everything else keeps its bytes.

use toml_edit::{
    Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, TomlError, Value, value,
};

/// The server `name` in the table `container`, as `(its command, everything)`.
pub(in crate::commands::setup) fn command(
    text: &str,
    layout: Layout,
    container: &str,
    name: &str,
) -> Result<Option<String>, TomlError> {
    let document: DocumentMut = text.parse()?;
    let table = document.get(container).and_then(|item| match layout {
        Layout::Tables => item.get(name).and_then(Item::as_table_like),
        Layout::List => servers(item)
            .into_iter()
            .find(|table| is_named(*table, name)),
    });
    Ok(table.map(|table| {
        let command = table.get("command").and_then(Item::as_str);
        command.unwrap_or_default().to_owned()
    }))
}

/// How a file lists its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands::setup) enum Layout {
    /// `[container.name]`
    Tables,
    /// `[[container]]` with a `name` in each.
    List,
}

/// The text with `entry` as the server `name`. Further keys of a server that is there already stay.
pub(in crate::commands::setup) fn insert(
    text: &str,
    layout: Layout,
    container: &str,
    name: &str,
    entry: &[(&str, Value)],
) -> Result<String, TomlError> {
    let mut document: DocumentMut = text.parse()?;
    match layout {
        Layout::Tables => insert_table(&mut document, container, name, entry),
        Layout::List => insert_into_list(&mut document, container, name, entry),
    }
    Ok(document.to_string())
}

/// The text without the server `name`.
pub(in crate::commands::setup) fn remove(
    text: &str,
    layout: Layout,
    container: &str,
    name: &str,
) -> Result<String, TomlError> {
    let mut document: DocumentMut = text.parse()?;
    let Some(item) = document.get_mut(container) else {
        return Ok(text.to_owned());
    };
    let is_empty = match layout {
        Layout::Tables => {
            // A table that only existed for ours has no line of its own.
            let is_implicit = item.as_table().is_some_and(Table::is_implicit);
            item.as_table_like_mut().is_some_and(|table| {
                table.remove(name);
                table.is_empty() && is_implicit
            })
        }
        Layout::List => match item {
            Item::ArrayOfTables(list) => {
                list.retain(|table| !is_named(table, name));
                list.is_empty()
            }
            Item::Value(Value::Array(list)) => {
                list.retain(|value| {
                    !value
                        .as_inline_table()
                        .is_some_and(|table| is_named(table, name))
                });
                false
            }
            _ => false,
        },
    };
    if is_empty {
        document.remove(container);
    }
    Ok(document.to_string())
}

fn insert_table(document: &mut DocumentMut, container: &str, name: &str, entry: &[(&str, Value)]) {
    let item = document.entry(container).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let Some(servers) = item.as_table_like_mut() else {
        return;
    };
    match servers.get_mut(name).and_then(Item::as_table_like_mut) {
        Some(table) => fill(table, entry),
        None => {
            let mut table = Table::new();
            fill(&mut table, entry);
            servers.insert(name, Item::Table(table));
        }
    }
}

fn insert_into_list(
    document: &mut DocumentMut,
    container: &str,
    name: &str,
    entry: &[(&str, Value)],
) {
    let item = document
        .entry(container)
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    match item {
        Item::ArrayOfTables(list) => {
            if !list.iter().any(|table| is_named(table, name)) {
                let mut table = Table::new();
                table.insert("name", value(name));
                list.push(table);
            }
            for table in list.iter_mut().filter(|table| is_named(*table, name)) {
                fill(table, entry);
            }
        }
        Item::Value(Value::Array(list)) => insert_inline(list, name, entry),
        _ => {}
    }
}

fn insert_inline(list: &mut Array, name: &str, entry: &[(&str, Value)]) {
    let present = list
        .iter_mut()
        .filter_map(Value::as_inline_table_mut)
        .find(|table| is_named(*table, name));
    match present {
        Some(table) => fill(table, entry),
        None => {
            let mut table = InlineTable::new();
            table.insert("name", name.into());
            fill(&mut table, entry);
            list.push(table);
        }
    }
}

fn fill(table: &mut dyn TableLike, entry: &[(&str, Value)]) {
    for (key, wanted) in entry {
        let present = table.get(key).and_then(Item::as_value);
        if present.is_none_or(|present| plain(present) != plain(wanted)) {
            table.insert(key, Item::Value(wanted.clone()));
        }
    }
}

/// A value without its spaces and comments.
fn plain(value: &Value) -> String {
    let mut value = value.clone();
    value.decor_mut().clear();
    value.to_string()
}

fn is_named(table: &dyn TableLike, name: &str) -> bool {
    table.get("name").and_then(Item::as_str) == Some(name)
}

fn servers(item: &Item) -> Vec<&dyn TableLike> {
    match item {
        Item::ArrayOfTables(list) => list.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(Value::Array(list)) => list
            .iter()
            .filter_map(|value| value.as_inline_table().map(|table| table as &dyn TableLike))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Vec<(&'static str, Value)> {
        vec![("command", "/bin/x".into()), ("parallel", true.into())]
    }

    fn round(text: &str, layout: Layout) -> String {
        let with = insert(text, layout, "servers", "ours", &entry()).unwrap();
        let found = command(&with, layout, "servers", "ours").unwrap();
        assert_eq!(found.as_deref(), Some("/bin/x"), "{with}");
        let again = insert(&with, layout, "servers", "ours", &entry()).unwrap();
        assert_eq!(again, with, "a second time changes nothing");
        assert_eq!(
            remove(&with, layout, "servers", "ours").unwrap(),
            text,
            "{with}"
        );
        with
    }

    #[test]
    fn a_table_is_added_at_the_end_and_removed_without_a_trace() {
        let text = "# mine\nmodel = 'x'  # odd   spaces\n\n[servers.other]\ncommand = \"a\"\n";
        let with = round(text, Layout::Tables);
        assert_eq!(
            with,
            format!("{text}\n[servers.ours]\ncommand = \"/bin/x\"\nparallel = true\n")
        );
        round("", Layout::Tables);
        round("a = 1\n", Layout::Tables);
    }

    #[test]
    fn lists_of_tables_and_inline_lists_are_understood() {
        round("a = 1\n\n[[servers]]\nname = \"other\"\n", Layout::List);
        round("a = 1\n", Layout::List);
        let with = round("servers = []\n\n[z]\nb = 1\n", Layout::List);
        assert!(with.contains("servers = [{ name = \"ours\""), "{with}");
    }

    #[test]
    fn further_keys_of_our_server_stay() {
        let text = "[servers.ours]\ncommand = \"/old\"\ntimeout = 9\n";
        let with = insert(text, Layout::Tables, "servers", "ours", &entry()).unwrap();
        assert_eq!(
            with,
            "[servers.ours]\ncommand = \"/bin/x\"\ntimeout = 9\nparallel = true\n"
        );
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        assert!(insert("a = ", Layout::Tables, "servers", "ours", &entry()).is_err());
        assert!(remove("[a", Layout::List, "servers", "ours").is_err());
    }
}
