//! The revision whose requests each carry their own metadata.

use super::{
    Effect, Family, LogPolicy, Protocol,
    family::{CALL_TOOL, DISCOVER, LIST_TOOLS},
    identity::{cacheable, discovery, modern_result},
    meta::Meta,
    tool_call::check_cursor,
    tool_list,
};
use crate::jsonrpc::{Members, RequestId, RpcError, result_line};

impl Protocol {
    pub(super) fn serve_modern(
        &mut self,
        id: &RequestId,
        method: &str,
        params: &Members<'_>,
        meta: Meta<'_>,
    ) -> Result<Vec<Effect>, RpcError> {
        let valid = meta.validate_modern()?;
        match method {
            DISCOVER => Ok(vec![Effect::Reply(result_line(id, &discovery()))]),
            LIST_TOOLS => {
                self.family = Family::Modern;
                check_cursor(params)?;
                let result = modern_result(cacheable(tool_list()));
                Ok(vec![Effect::Reply(result_line(id, &result))])
            }
            CALL_TOOL => {
                self.family = Family::Modern;
                let logs = LogPolicy::Request(valid.log_level);
                self.admit(id, params, meta.progress_token, logs)
            }
            _ => Err(RpcError::method_not_found(method)),
        }
    }
}
