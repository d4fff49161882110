//! From an operation's name to its code.

use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode, frame,
    op::{
        Cancel, CheckAxioms, Close, CloseSave, CodeActionResolve, Completions, Definition,
        DocumentSymbols, DropWorkspace, Goals, Hover, OPERATIONS, OpenFiles, Operation, Ping,
        References, Refresh, Release, ResetStats, RunAt, RunAtHandle, RunWith, RunWithLinear, Save,
        Shutdown, SignatureHelp, Stats, Status, Sync, TermGoal, Todo, Try, Update,
        WorkspaceSymbols,
    },
};
use serde_json::{json, value::RawValue};

use super::{
    OpContext, axioms, completions, control, documents, goals, navigate, probe, references, save,
    symbols, sync, todo,
};

/// Runs the operation `op` with its still undecoded parameters.
///
/// # Errors
/// `invalidInput` for an unknown operation or parameters that do not fit; else what the operation says.
pub(crate) async fn run(
    op: &str,
    params: Option<&RawValue>,
    context: &OpContext<'_>,
) -> BeamResult<Box<RawValue>> {
    match op {
        Ping::NAME => decoded::<Ping>(params, async |_| Ok(control::ping())).await,
        Status::NAME => {
            decoded::<Status>(params, async |_| Ok(control::status(context).await)).await
        }
        Shutdown::NAME => {
            decoded::<Shutdown>(params, async |params| control::shutdown(context, params)).await
        }
        Stats::NAME => decoded::<Stats>(params, async |_| Ok(control::stats(context).await)).await,
        ResetStats::NAME => {
            decoded::<ResetStats>(params, async |_| Ok(control::reset_stats(context))).await
        }
        Cancel::NAME => {
            decoded::<Cancel>(params, async |params| Ok(control::cancel(context, &params))).await
        }
        OpenFiles::NAME => {
            decoded::<OpenFiles>(params, async |_| documents::open_files(context).await).await
        }
        Update::NAME => {
            decoded::<Update>(params, async |params| {
                documents::update(context, params).await
            })
            .await
        }
        Sync::NAME => {
            decoded::<Sync>(params, async |params| sync::sync(context, params).await).await
        }
        Refresh::NAME => {
            decoded::<Refresh>(params, async |params| sync::refresh(context, params).await).await
        }
        Close::NAME => {
            decoded::<Close>(params, async |params| {
                documents::close(context, params).await
            })
            .await
        }
        Hover::NAME => {
            decoded::<Hover>(params, async |params| {
                navigate::hover(context, params).await
            })
            .await
        }
        DropWorkspace::NAME => {
            decoded::<DropWorkspace>(params, async |_| {
                Ok(documents::drop_workspace(context).await)
            })
            .await
        }
        RunAt::NAME => {
            decoded::<RunAt>(params, async |params| probe::run_at(context, params).await).await
        }
        RunAtHandle::NAME => {
            decoded::<RunAtHandle>(params, async |params| {
                probe::run_at_handle(context, params).await
            })
            .await
        }
        RunWith::NAME => {
            decoded::<RunWith>(params, async |params| {
                probe::run_with(context, params).await
            })
            .await
        }
        RunWithLinear::NAME => {
            decoded::<RunWithLinear>(params, async |params| {
                probe::run_with_linear(context, params).await
            })
            .await
        }
        Release::NAME => {
            decoded::<Release>(params, async |params| probe::release(context, params).await).await
        }
        Try::NAME => {
            decoded::<Try>(params, async |params| {
                probe::try_candidates(context, params).await
            })
            .await
        }
        CheckAxioms::NAME => {
            decoded::<CheckAxioms>(params, async |params| {
                axioms::check_axioms(context, params).await
            })
            .await
        }
        Goals::NAME => {
            decoded::<Goals>(params, async |params| goals::goals(context, params).await).await
        }
        TermGoal::NAME => {
            decoded::<TermGoal>(params, async |params| {
                goals::term_goal(context, params).await
            })
            .await
        }
        Save::NAME => {
            decoded::<Save>(params, async |params| save::save(context, params).await).await
        }
        CloseSave::NAME => {
            decoded::<CloseSave>(params, async |params| {
                save::close_save(context, params).await
            })
            .await
        }
        SignatureHelp::NAME => {
            decoded::<SignatureHelp>(params, async |params| {
                navigate::signature_help(context, params).await
            })
            .await
        }
        Definition::NAME => {
            decoded::<Definition>(params, async |params| {
                navigate::definition(context, params).await
            })
            .await
        }
        References::NAME => {
            decoded::<References>(params, async |params| {
                references::references(context, params).await
            })
            .await
        }
        DocumentSymbols::NAME => {
            decoded::<DocumentSymbols>(params, async |params| {
                symbols::document_symbols(context, params).await
            })
            .await
        }
        WorkspaceSymbols::NAME => {
            decoded::<WorkspaceSymbols>(params, async |params| {
                symbols::workspace_symbols(context, params).await
            })
            .await
        }
        Completions::NAME => {
            decoded::<Completions>(params, async |params| {
                completions::completions(context, params).await
            })
            .await
        }
        Todo::NAME => {
            decoded::<Todo>(params, async |params| todo::todo(context, params).await).await
        }
        CodeActionResolve::NAME => {
            decoded::<CodeActionResolve>(params, async |params| {
                todo::code_action_resolve(context, params).await
            })
            .await
        }
        unknown => Err(unknown_operation(unknown)),
    }
}

async fn decoded<O: Operation>(
    params: Option<&RawValue>,
    operation: impl AsyncFnOnce(O::Params) -> BeamResult<O::Output>,
) -> BeamResult<Box<RawValue>> {
    let params = decode::<O>(params)?;
    let output = operation(params).await?;
    frame::raw(&output)
        .map_err(|error| BeamError::internal(format!("a result has no JSON form: {error}")))
}

fn decode<O: Operation>(params: Option<&RawValue>) -> BeamResult<O::Params> {
    let text = params.map_or("{}", RawValue::get);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let field = error.path().to_string();
        let place = if field == "." {
            String::new()
        } else {
            format!(" at `{field}`")
        };
        BeamError::new(
            ErrorCode::InvalidInput,
            format!(
                "the parameters of `{}` do not fit{place}: {}",
                O::NAME,
                error.inner()
            ),
        )
        .with_hint("docs/protocol.md lists the fields of every operation.")
        .with_data(json!({ "op": O::NAME, "field": field }))
    })
}

fn unknown_operation(op: &str) -> BeamError {
    BeamError::new(
        ErrorCode::InvalidInput,
        format!("there is no operation {op:?}"),
    )
    .with_hint(format!("There are: {}.", OPERATIONS.join(", ")))
    .with_data(json!({ "op": op }))
}
