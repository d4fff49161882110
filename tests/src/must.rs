//! Failing a test with the reason.

use std::fmt::Debug;

/// Takes the value out, or fails the test and says what could not be done.
pub trait Must<T> {
    /// The value; `what` completes the sentence "could not …".
    fn must(self, what: &str) -> T;
}

impl<T, E: Debug> Must<T> for Result<T, E> {
    #[track_caller]
    fn must(self, what: &str) -> T {
        match self {
            Ok(value) => value,
            Err(error) => panic!("could not {what}: {error:?}"),
        }
    }
}

impl<T> Must<T> for Option<T> {
    #[track_caller]
    fn must(self, what: &str) -> T {
        match self {
            Some(value) => value,
            None => panic!("could not {what}: there is none"),
        }
    }
}

/// Takes the error out, or fails the test because something went well.
pub trait MustFail<E> {
    /// The error.
    fn must_fail(self) -> E;
}

impl<T: Debug, E> MustFail<E> for Result<T, E> {
    #[track_caller]
    fn must_fail(self) -> E {
        match self {
            Ok(value) => panic!("this must not go well: {value:?}"),
            Err(error) => error,
        }
    }
}
