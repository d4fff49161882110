//! The files that tell a service manager about the daemon.

use std::path::{Path, PathBuf};

/// File of the socket for systemd.
pub(super) const SOCKET: &str = "lean-beam.socket";
/// File of the daemon for systemd.
pub(super) const SERVICE: &str = "lean-beam.service";
/// File of the daemon for launchd.
pub(super) const AGENT: &str = "lean-beam.plist";

/// Tells our files from those that somebody else wrote under the same name.
const WRITTEN_BY: &str = "Written by `lean-beam setup service`";

/// What a service manager starts, and how.
#[derive(Debug, Clone)]
pub(super) struct Daemon {
    /// The daemon's program.
    pub(super) program: PathBuf,
    /// Its socket.
    pub(super) socket: PathBuf,
    /// Variables that it needs besides those of the service manager.
    pub(super) environment: Vec<(String, String)>,
}

/// A file of a service manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// Its name.
    pub(super) name: &'static str,
    /// Its text.
    pub(super) text: String,
    /// The part of the text that says which daemon or which socket it is about.
    pub(super) essence: String,
}

/// Socket and service for systemd: the first connection starts the daemon.
pub(super) fn systemd(daemon: &Daemon) -> [Unit; 2] {
    let listen = format!("\nListenStream={}\n", escaped(&daemon.socket));
    let socket = format!(
        "# {WRITTEN_BY}
[Unit]
Description=Socket of lean-beam, which keeps Lean warm

[Socket]{listen}SocketMode=0600
DirectoryMode=0700
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
"
    );
    let variables: String = daemon
        .environment
        .iter()
        .map(|(name, value)| format!("Environment={}\n", quoted_text(&format!("{name}={value}"))))
        .collect();
    let start = format!("\nExecStart={} --foreground\n", quoted(&daemon.program));
    let service = format!(
        "# {WRITTEN_BY}
[Unit]
Description=lean-beam, which keeps Lean warm
Requires=lean-beam.socket
After=lean-beam.socket

[Service]{start}{variables}KillMode=mixed
TimeoutStopSec=30
"
    );
    [
        Unit {
            name: SOCKET,
            text: socket,
            essence: listen,
        },
        Unit {
            name: SERVICE,
            text: service,
            essence: start,
        },
    ]
}

/// An agent for launchd: the daemon starts at login, and again after a crash.
pub(super) fn launchd(daemon: &Daemon) -> Unit {
    let variables: String = daemon
        .environment
        .iter()
        .map(|(name, value)| {
            format!(
                "    <key>{}</key>\n    <string>{}</string>\n",
                xml(name),
                xml(value)
            )
        })
        .collect();
    let program = xml(&daemon.program.display().to_string());
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">
<!-- {WRITTEN_BY} -->
<plist version=\"1.0\">
<dict>
  <key>Label</key>
  <string>lean-beam</string>
  <key>ProgramArguments</key>
  <array>
    <string>{program}</string>
    <string>--foreground</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
{variables}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ProcessType</key>
  <string>Background</string>
</dict>
</plist>
"
    );
    Unit {
        name: AGENT,
        text,
        essence: format!("<string>{program}</string>"),
    }
}

/// True for a text that this or another version of us wrote.
pub(super) fn is_ours(text: &str) -> bool {
    text.contains(WRITTEN_BY)
}

/// A path as one word of a command line of systemd.
fn quoted(path: &Path) -> String {
    quoted_text(&path.display().to_string()).replace('$', "$$")
}

fn quoted_text(text: &str) -> String {
    let text = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
        .replace('%', "%%");
    format!("\"{text}\"")
}

/// A path as a setting of systemd that takes one path.
fn escaped(path: &Path) -> String {
    path.display().to_string().replace('%', "%%")
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn daemon(program: &str) -> Daemon {
        Daemon {
            program: PathBuf::from(program),
            socket: PathBuf::from("/run/user/7/lean-beam/daemon-1.sock"),
            environment: vec![("LEAN_BEAM_LEAN".to_owned(), "/a b/100%/lean".to_owned())],
        }
    }

    #[test]
    fn the_units_name_socket_program_and_variables() {
        let [socket, service] = systemd(&daemon("/opt/odd \"name\"/lean-beam-daemon"));
        assert!(
            socket
                .text
                .contains("\nListenStream=/run/user/7/lean-beam/daemon-1.sock\n")
        );
        for unit in [&socket, &service] {
            assert!(is_ours(&unit.text) && unit.text.contains(&unit.essence));
        }
        let start = "\nExecStart=\"/opt/odd \\\"name\\\"/lean-beam-daemon\" --foreground\n";
        assert!(service.text.contains(start), "{}", service.text);
        let variable = "\nEnvironment=\"LEAN_BEAM_LEAN=/a b/100%%/lean\"\n";
        assert!(service.text.contains(variable), "{}", service.text);
    }

    #[test]
    fn the_agent_escapes_what_xml_wants_escaped() {
        let unit = launchd(&daemon("/opt/a&b<c>/lean-beam-daemon"));
        assert!(
            unit.text
                .contains("<string>/opt/a&amp;b&lt;c&gt;/lean-beam-daemon</string>")
        );
        assert!(unit.text.contains("<key>LEAN_BEAM_LEAN</key>"));
        assert!(is_ours(&unit.text) && unit.text.contains(&unit.essence));
    }
}
