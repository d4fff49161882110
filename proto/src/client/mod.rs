//! The client side: finding the daemon, starting it where it is absent, and one call per connection.
//!
//! ```no_run
//! use lean_beam_proto::{ClientInfo, client::{Connector, Request}, op};
//! # async fn example() -> lean_beam_proto::BeamResult<()> {
//! let connector = Connector::new(ClientInfo::named("example"))?;
//! let params = op::UpdateParams { path: "Main.lean".to_owned() };
//! let request = Request::<op::Update>::new(params).in_workspace("/home/me/project");
//! let answer = connector.call(&request).await?.finish().await?;
//! assert!(answer.output.version > 0);
//! # Ok(())
//! # }
//! ```

mod call;
mod connect;
mod ensure;
mod frozen;
mod request;
mod start;
#[cfg(test)]
mod testing;

pub use call::{Answer, Call, RawCall};
pub use connect::{ConnectError, Connection, Connector};
pub use ensure::wait_until_gone;
pub use frozen::FrozenStatus;
pub use request::Request;
