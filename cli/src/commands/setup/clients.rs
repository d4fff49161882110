//! The agent programs that lean-beam can be registered with.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::edit::{json, toml, toml::Layout};

/// The name under which the server is registered everywhere.
pub(super) const SERVER: &str = "lean-beam";

/// An agent program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Client {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// opencode
    #[value(name = "opencode")]
    OpenCode,
    /// Gemini CLI
    Gemini,
    /// Qwen Code
    Qwen,
    /// GitHub Copilot CLI
    Copilot,
    /// Mistral Vibe
    Vibe,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    #[value(name = "vscode")]
    VsCode,
}

/// The part of the environment that says where programs keep their settings.
#[derive(Debug, Clone)]
pub(super) struct Places {
    home: PathBuf,
    lookup: fn(&str) -> Option<OsString>,
}

/// How our server is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    /// The absolute path of the program.
    pub(super) program: String,
    /// Variables that it needs besides what clients pass on by themselves.
    pub(super) environment: Vec<(String, String)>,
}

/// How a file lists its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Json {
        container: &'static str,
    },
    Toml {
        layout: Layout,
        container: &'static str,
    },
}

impl Places {
    /// Those of this process. `None` without a home directory.
    pub(super) fn of_this_process() -> Option<Self> {
        let lookup: fn(&str) -> Option<OsString> =
            |name| std::env::var_os(name).filter(|value| !value.is_empty());
        Some(Self {
            home: PathBuf::from(lookup("HOME")?),
            lookup,
        })
    }

    /// The home directory.
    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    /// The directory of settings.
    pub(super) fn configuration(&self) -> PathBuf {
        self.directory("XDG_CONFIG_HOME", ".config")
    }

    /// The directory that `variable` names, else `usual` below the home directory.
    fn directory(&self, variable: &str, usual: &str) -> PathBuf {
        (self.lookup)(variable).map_or_else(|| self.home.join(usual), PathBuf::from)
    }

    /// True when a program of this name is on `PATH`.
    fn has_program(&self, name: &str) -> bool {
        let path = (self.lookup)("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|directory| directory.join(name).is_file())
    }
}

impl Client {
    /// Its name on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Copilot => "copilot",
            Self::Vibe => "vibe",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
        }
    }

    /// Its name for people.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "Gemini CLI",
            Self::Qwen => "Qwen Code",
            Self::Copilot => "Copilot CLI",
            Self::Vibe => "Mistral Vibe",
            Self::Cursor => "Cursor",
            Self::VsCode => "Visual Studio Code",
        }
    }

    /// How to see that it worked.
    pub(super) fn proof(self) -> &'static str {
        match self {
            Self::Claude => "claude mcp list",
            Self::Codex => "codex mcp list",
            Self::OpenCode => "opencode mcp list",
            Self::Gemini => "gemini mcp list",
            Self::Qwen => "qwen mcp list",
            Self::Copilot => "copilot mcp list",
            Self::Vibe => "/mcp in a session",
            Self::Cursor => "Settings, MCP",
            Self::VsCode => "MCP: List Servers in the command palette",
        }
    }

    /// The directory of its settings.
    fn directory(self, places: &Places) -> PathBuf {
        match self {
            Self::Claude => places.directory("CLAUDE_CONFIG_DIR", ".claude"),
            Self::Codex => places.directory("CODEX_HOME", ".codex"),
            Self::OpenCode => places
                .directory("XDG_CONFIG_HOME", ".config")
                .join("opencode"),
            Self::Gemini => places.home.join(".gemini"),
            Self::Qwen => places.home.join(".qwen"),
            Self::Copilot => places.directory("COPILOT_HOME", ".copilot"),
            Self::Vibe => places.directory("VIBE_HOME", ".vibe"),
            Self::Cursor => places.home.join(".cursor"),
            Self::VsCode if cfg!(target_os = "macos") => {
                places.home.join("Library/Application Support/Code/User")
            }
            Self::VsCode => places
                .directory("XDG_CONFIG_HOME", ".config")
                .join("Code/User"),
        }
    }

    /// The file that lists its servers.
    pub(super) fn file(self, places: &Places) -> PathBuf {
        let directory = self.directory(places);
        match self {
            // It stands in the home directory unless another place is set for all of its files.
            Self::Claude if (places.lookup)("CLAUDE_CONFIG_DIR").is_none() => {
                places.home.join(".claude.json")
            }
            Self::Claude => directory.join(".claude.json"),
            Self::Codex | Self::Vibe => directory.join("config.toml"),
            Self::OpenCode => {
                let with_comments = directory.join("opencode.jsonc");
                if with_comments.is_file() {
                    with_comments
                } else {
                    directory.join("opencode.json")
                }
            }
            Self::Gemini | Self::Qwen => directory.join("settings.json"),
            Self::Copilot => directory.join("mcp-config.json"),
            Self::Cursor | Self::VsCode => directory.join("mcp.json"),
        }
    }

    /// Where it looks for skills of ours, where it has skills.
    pub(super) fn skill(self, places: &Places) -> Option<PathBuf> {
        let skills = match self {
            Self::Codex => places.home.join(".agents/skills"),
            Self::VsCode => return None,
            _ => self.directory(places).join("skills"),
        };
        Some(skills.join(SERVER).join("SKILL.md"))
    }

    /// True when it seems to be installed.
    pub(super) fn is_there(self, places: &Places) -> bool {
        let program = match self {
            Self::VsCode => "code",
            _ => self.name(),
        };
        self.directory(places).is_dir()
            || self.file(places).is_file()
            || places.has_program(program)
    }

    /// The program that `text`, its file, names for our server.
    ///
    /// # Errors
    /// The text is not understood.
    pub(super) fn registered(self, text: &str) -> Result<Option<String>, String> {
        match self.format() {
            Format::Json { container } => {
                let entry =
                    json::find(text, container, SERVER).map_err(|fault| fault.to_string())?;
                Ok(entry.map(|entry| command_of(&entry)))
            }
            Format::Toml { layout, container } => {
                toml::command(text, layout, container, SERVER).map_err(|fault| fault.to_string())
            }
        }
    }

    /// `text`, its file, with our server.
    ///
    /// # Errors
    /// The text is not understood.
    pub(super) fn with_server(self, text: &str, server: &Server) -> Result<String, String> {
        match self.format() {
            Format::Json { container } => {
                json::insert(text, container, SERVER, &self.entry(server))
                    .map_err(|fault| fault.to_string())
            }
            Format::Toml { layout, container } => {
                let entry = self.toml_entry(server);
                toml::insert(text, layout, container, SERVER, &entry)
                    .map_err(|fault| fault.to_string())
            }
        }
    }

    /// `text`, its file, without our server.
    ///
    /// # Errors
    /// The text is not understood.
    pub(super) fn without_server(self, text: &str) -> Result<String, String> {
        match self.format() {
            Format::Json { container } => {
                json::remove(text, container, SERVER).map_err(|fault| fault.to_string())
            }
            Format::Toml { layout, container } => {
                toml::remove(text, layout, container, SERVER).map_err(|fault| fault.to_string())
            }
        }
    }

    fn format(self) -> Format {
        let container = match self {
            Self::Codex => {
                return Format::Toml {
                    layout: Layout::Tables,
                    container: "mcp_servers",
                };
            }
            Self::Vibe => {
                return Format::Toml {
                    layout: Layout::List,
                    container: "mcp_servers",
                };
            }
            Self::OpenCode => "mcp",
            Self::VsCode => "servers",
            _ => "mcpServers",
        };
        Format::Json { container }
    }

    fn entry(self, server: &Server) -> Map<String, Value> {
        let program = &server.program;
        let entry = match self {
            Self::OpenCode => json!({ "type": "local", "command": [program], "enabled": true }),
            Self::Claude | Self::VsCode | Self::Cursor => {
                json!({ "type": "stdio", "command": program, "args": [] })
            }
            Self::Copilot => {
                json!({ "type": "local", "command": program, "args": [], "tools": ["*"] })
            }
            _ => json!({ "command": program, "args": [] }),
        };
        let mut entry = entry.as_object().cloned().unwrap_or_default();
        if !server.environment.is_empty() {
            let name = if self == Self::OpenCode {
                "environment"
            } else {
                "env"
            };
            let variables = server.environment.iter();
            let variables: Map<_, _> = variables
                .map(|(name, value)| (name.clone(), Value::String(value.clone())))
                .collect();
            entry.insert(name.to_owned(), Value::Object(variables));
        }
        entry
    }

    fn toml_entry(self, server: &Server) -> Vec<(&'static str, toml_edit::Value)> {
        let mut entry: Vec<(&str, toml_edit::Value)> = Vec::new();
        if self == Self::Vibe {
            entry.push(("transport", "stdio".into()));
        }
        entry.push(("command", server.program.as_str().into()));
        entry.push(("args", toml_edit::Array::new().into()));
        if self == Self::Codex {
            // Calls that only look may then run side by side; ours are made for it.
            entry.push(("supports_parallel_tool_calls", true.into()));
        }
        if !server.environment.is_empty() {
            let mut table = toml_edit::InlineTable::new();
            for (name, value) in &server.environment {
                table.insert(name, value.as_str().into());
            }
            entry.push(("env", table.into()));
        }
        entry
    }
}

fn command_of(entry: &Value) -> String {
    let command = &entry["command"];
    let command = command.as_str().or_else(|| command[0].as_str());
    command.unwrap_or_default().to_owned()
}

/// True when `path` is a file that could be started.
pub(in crate::commands) fn is_program(path: &Path) -> bool {
    path.is_absolute() && path.is_file()
}
