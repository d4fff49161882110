//! Taking times.

use std::{
    future::Future,
    time::{Duration, Instant},
};

/// The times that something took, each in milliseconds.
#[derive(Debug, Clone, Default)]
pub(super) struct Times {
    milliseconds: Vec<f64>,
}

impl Times {
    /// Takes the time of `action`, which gives its result.
    pub(super) async fn take<T>(&mut self, action: impl Future<Output = T>) -> T {
        let start = Instant::now();
        let result = action.await;
        self.add(start.elapsed());
        result
    }

    pub(super) fn add(&mut self, time: Duration) {
        self.milliseconds.push(time.as_secs_f64() * 1000.0);
    }

    pub(super) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// What nine of ten stay below.
    pub(super) fn ninth_decile(&self) -> f64 {
        self.quantile(0.9)
    }

    fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.milliseconds.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index into a short list"
        )]
        let at = (last as f64 * part).round() as usize;
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle_whatever_the_order() {
        let mut times = Times::default();
        for milliseconds in [9, 1, 5, 3, 7] {
            times.add(Duration::from_millis(milliseconds));
        }
        assert!((times.median() - 5.0).abs() < 0.01);
        assert!((times.ninth_decile() - 9.0).abs() < 0.01);
    }
}
