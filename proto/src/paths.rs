//! Where the socket, the locks, the logs and the configuration are.
//!
//! The environment differs between an agent's sandbox and a login shell of the same user, so the
//! default for the runtime directory asks the file system and the user id, not `XDG_RUNTIME_DIR` or
//! `TMPDIR`: both ends always compute the same path.

use std::{
    env, fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use crate::{
    error::{BeamError, ErrorCode},
    version::PROTOCOL,
};

/// Names the runtime directory (socket and locks).
pub const RUNTIME_DIR_VARIABLE: &str = "LEAN_BEAM_RUNTIME_DIR";
/// Names the state directory (logs and incidents).
pub const STATE_DIR_VARIABLE: &str = "LEAN_BEAM_STATE_DIR";
/// Names the configuration file.
pub const CONFIG_VARIABLE: &str = "LEAN_BEAM_CONFIG";

/// Longest socket path that every system takes: macOS has room for 104 bytes, one of them a zero.
const MAX_SOCKET_PATH_BYTES: usize = 103;

/// The directory of the socket and the locks, known to be safe once [`RuntimeDir::ensure`] returned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeDir {
    path: PathBuf,
}

/// Why the runtime directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeDirError {
    /// The path is not absolute.
    #[error("the runtime directory {} is not an absolute path", .0.display())]
    Relative(PathBuf),
    /// The socket's path would be too long for the system.
    #[error("the socket path {} has {} bytes; the system allows {MAX_SOCKET_PATH_BYTES}", .0.display(), .0.as_os_str().len())]
    TooLong(PathBuf),
    /// It is a link or no directory.
    #[error("{} is not a directory of its own ({kind})", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
        /// What it is instead.
        kind: &'static str,
    },
    /// It belongs to somebody else.
    #[error("{} belongs to user {owner}, not to us (user {us})", path.display())]
    ForeignOwner {
        /// The path.
        path: PathBuf,
        /// Its owner's user id.
        owner: u32,
        /// Our user id.
        us: u32,
    },
    /// Others may enter it.
    #[error("{} is open to others (mode {mode:03o}, wanted 700)", path.display())]
    TooOpen {
        /// The path.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file system refused.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl RuntimeDir {
    /// The directory by its rule: `LEAN_BEAM_RUNTIME_DIR` if set; else `/run/user/<uid>/lean-beam` where
    /// `/run/user/<uid>` is ours; else `/tmp/lean-beam-<uid>`. Looks, but creates nothing.
    ///
    /// # Errors
    /// The path is relative, or so long that no socket fits.
    pub fn locate() -> Result<Self, RuntimeDirError> {
        let uid = nix::unistd::getuid().as_raw();
        let path = match env::var_os(RUNTIME_DIR_VARIABLE).filter(|value| !value.is_empty()) {
            Some(given) => PathBuf::from(given),
            None => default_runtime_dir(uid),
        };
        Self::at(path)
    }

    /// The directory at `path`, for tests and for programs that were told where it is.
    ///
    /// # Errors
    /// The path is relative, or so long that no socket fits.
    pub fn at(path: impl Into<PathBuf>) -> Result<Self, RuntimeDirError> {
        let path = path.into();
        if !path.is_absolute() {
            return Err(RuntimeDirError::Relative(path));
        }
        let directory = Self { path };
        let socket = directory.socket();
        if socket.as_os_str().len() > MAX_SOCKET_PATH_BYTES {
            return Err(RuntimeDirError::TooLong(socket));
        }
        Ok(directory)
    }

    /// Creates the directory where it is missing (mode 700) and checks it.
    ///
    /// # Errors
    /// It is a link, belongs to another user, is open to others, or cannot be made.
    pub fn ensure(&self) -> Result<(), RuntimeDirError> {
        match fs::DirBuilder::new()
            .mode(0o700)
            .recursive(false)
            .create(&self.path)
        {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.create_with_parents()?,
            Err(source) => return Err(self.io(source)),
        }
        self.check()
    }

    /// Checks an existing directory; a missing one is an [`RuntimeDirError::Io`] of kind `NotFound`.
    ///
    /// # Errors
    /// As [`RuntimeDir::ensure`].
    pub fn check(&self) -> Result<(), RuntimeDirError> {
        let metadata = fs::symlink_metadata(&self.path).map_err(|source| self.io(source))?;
        let path = self.path.clone();
        if metadata.file_type().is_symlink() {
            return Err(RuntimeDirError::NotADirectory {
                path,
                kind: "a symbolic link",
            });
        }
        if !metadata.is_dir() {
            return Err(RuntimeDirError::NotADirectory {
                path,
                kind: "a file",
            });
        }
        let us = nix::unistd::getuid().as_raw();
        if metadata.uid() != us {
            return Err(RuntimeDirError::ForeignOwner {
                path,
                owner: metadata.uid(),
                us,
            });
        }
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(RuntimeDirError::TooOpen { path, mode });
        }
        Ok(())
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The socket of a daemon of our protocol.
    pub fn socket(&self) -> PathBuf {
        self.socket_of(PROTOCOL)
    }

    /// The socket of a daemon that speaks `protocol`.
    pub fn socket_of(&self, protocol: u32) -> PathBuf {
        self.path.join(format!("daemon-{protocol}.sock"))
    }

    /// The sockets that exist, with the protocol in their name, ours included, in ascending order.
    pub fn sockets(&self) -> Vec<(u32, PathBuf)> {
        let Ok(entries) = fs::read_dir(&self.path) else {
            return Vec::new();
        };
        let mut sockets: Vec<_> = entries
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name();
                let protocol = name
                    .to_str()?
                    .strip_prefix("daemon-")?
                    .strip_suffix(".sock")?
                    .parse()
                    .ok()?;
                Some((protocol, entry.path()))
            })
            .collect();
        sockets.sort();
        sockets
    }

    /// Held by the daemon from before its socket exists until after it is gone, whatever the protocol.
    pub fn life_lock(&self) -> PathBuf {
        self.path.join("daemon.lock")
    }

    /// Held by a client from looking for a daemon until one is ready.
    pub fn start_lock(&self) -> PathBuf {
        self.path.join("start.lock")
    }

    fn create_with_parents(&self) -> Result<(), RuntimeDirError> {
        if let Some(parent) = self.path.parent() {
            fs::create_dir_all(parent).map_err(|source| self.io(source))?;
        }
        match fs::DirBuilder::new().mode(0o700).create(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(self.io(error)),
            _ => Ok(()),
        }
    }

    fn io(&self, source: io::Error) -> RuntimeDirError {
        RuntimeDirError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

/// The directory of logs and incidents: `LEAN_BEAM_STATE_DIR`, else the user's state directory
/// (`~/.local/state/lean-beam` on Linux). Creates nothing.
///
/// # Errors
/// The variable is unset and the user has no home directory.
pub fn state_dir() -> Result<PathBuf, BeamError> {
    if let Some(given) = env::var_os(STATE_DIR_VARIABLE).filter(|value| !value.is_empty()) {
        return Ok(PathBuf::from(given));
    }
    let directories = directories::ProjectDirs::from("", "", "lean-beam").ok_or_else(|| {
        BeamError::new(
            ErrorCode::DaemonUnavailable,
            "there is no home directory for logs",
        )
        .with_hint(format!("Set HOME or {STATE_DIR_VARIABLE}."))
    })?;
    Ok(directories
        .state_dir()
        .unwrap_or_else(|| directories.data_local_dir())
        .to_owned())
}

/// The configuration file: `LEAN_BEAM_CONFIG`, else `config.toml` in the user's configuration directory
/// (`~/.config/lean-beam` on Linux). It need not exist.
pub fn config_file() -> Option<PathBuf> {
    if let Some(given) = env::var_os(CONFIG_VARIABLE).filter(|value| !value.is_empty()) {
        return Some(PathBuf::from(given));
    }
    directories::ProjectDirs::from("", "", "lean-beam")
        .map(|found| found.config_dir().join("config.toml"))
}

/// The log file of the daemon below the state directory.
pub fn log_file(state_dir: &Path) -> PathBuf {
    state_dir.join("daemon.log")
}

fn default_runtime_dir(uid: u32) -> PathBuf {
    let run_user = PathBuf::from(format!("/run/user/{uid}"));
    match fs::symlink_metadata(&run_user) {
        Ok(metadata) if metadata.is_dir() && metadata.uid() == uid => run_user.join("lean-beam"),
        _ => PathBuf::from(format!("/tmp/lean-beam-{uid}")),
    }
}

impl From<RuntimeDirError> for BeamError {
    fn from(error: RuntimeDirError) -> Self {
        let hint = match &error {
            RuntimeDirError::Relative(_) | RuntimeDirError::TooLong(_) => {
                format!(
                    "Set {RUNTIME_DIR_VARIABLE} to a short absolute path on a local file system."
                )
            }
            RuntimeDirError::TooOpen { path, .. } => {
                format!("Run `chmod 700 {}` and try again.", path.display())
            }
            RuntimeDirError::NotADirectory { path, .. }
            | RuntimeDirError::ForeignOwner { path, .. } => format!(
                "Somebody may have put {} there on purpose. Remove it if you may, or set {RUNTIME_DIR_VARIABLE} to a directory of yours.",
                path.display()
            ),
            RuntimeDirError::Io { path, source }
                if source.kind() == io::ErrorKind::PermissionDenied =>
            {
                format!(
                    "A sandbox may forbid it: allow reading and writing {}, or set {RUNTIME_DIR_VARIABLE}.",
                    path.display()
                )
            }
            RuntimeDirError::Io { .. } => {
                format!("Set {RUNTIME_DIR_VARIABLE} to a directory that can be used.")
            }
        };
        BeamError::new(ErrorCode::DaemonUnavailable, error.to_string()).with_hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn in_temporary(name: &str) -> (tempfile::TempDir, RuntimeDir) {
        let parent = tempfile::tempdir().unwrap();
        let directory = RuntimeDir::at(parent.path().join(name)).unwrap();
        (parent, directory)
    }

    #[test]
    fn a_missing_directory_is_made_private_with_its_parents() {
        let (_parent, directory) = in_temporary("a/b");
        directory.ensure().unwrap();
        directory.ensure().unwrap();
        assert_eq!(
            fs::metadata(directory.path()).unwrap().permissions().mode() & 0o777,
            0o700
        );
    }

    #[test]
    fn a_directory_open_to_others_is_refused_and_left_alone() {
        let (_parent, directory) = in_temporary("open");
        directory.ensure().unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o750)).unwrap();
        assert!(matches!(
            directory.ensure(),
            Err(RuntimeDirError::TooOpen { mode: 0o750, .. })
        ));
    }

    #[test]
    fn a_link_is_refused_even_to_a_good_directory() {
        let (parent, directory) = in_temporary("link");
        let good = RuntimeDir::at(parent.path().join("good")).unwrap();
        good.ensure().unwrap();
        symlink(good.path(), directory.path()).unwrap();
        assert!(matches!(
            directory.ensure(),
            Err(RuntimeDirError::NotADirectory {
                kind: "a symbolic link",
                ..
            })
        ));
    }

    #[test]
    fn a_file_in_its_place_is_refused() {
        let (_parent, directory) = in_temporary("file");
        fs::write(directory.path(), "x").unwrap();
        assert!(matches!(
            directory.ensure(),
            Err(RuntimeDirError::NotADirectory { kind: "a file", .. })
        ));
    }

    #[test]
    fn a_path_without_room_for_the_socket_is_refused_with_the_variable_to_set() {
        let error = RuntimeDir::at(format!("/tmp/{}", "x".repeat(100))).unwrap_err();
        assert!(matches!(error, RuntimeDirError::TooLong(_)));
        assert!(
            BeamError::from(error)
                .hint
                .unwrap()
                .contains(RUNTIME_DIR_VARIABLE)
        );
        assert!(matches!(
            RuntimeDir::at("here"),
            Err(RuntimeDirError::Relative(_))
        ));
    }

    #[test]
    fn sockets_of_other_protocols_are_found_by_name() {
        let (_parent, directory) = in_temporary("s");
        directory.ensure().unwrap();
        for name in [
            "daemon-10.sock",
            "daemon-2.sock",
            "daemon-x.sock",
            "daemon.lock",
        ] {
            fs::write(directory.path().join(name), "").unwrap();
        }
        let protocols: Vec<_> = directory
            .sockets()
            .into_iter()
            .map(|(protocol, _)| protocol)
            .collect();
        assert_eq!(protocols, [2, 10]);
    }
}
