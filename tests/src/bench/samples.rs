//! Measured values and what to say about them.

use std::time::Duration;

/// Values of one figure, in the order in which they were measured.
#[derive(Debug, Clone, Default)]
pub(super) struct Samples(Vec<f64>);

impl Samples {
    pub(super) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// Adds a time, in milliseconds.
    pub(super) fn push_time(&mut self, time: Duration) {
        self.push(milliseconds(time));
    }

    /// The value in the middle; of two, the mean. `NaN` without values.
    pub(super) fn median(&self) -> f64 {
        let sorted = self.sorted();
        let (Some(low), Some(high)) = (
            sorted.get(sorted.len().saturating_sub(1) / 2),
            sorted.get(sorted.len() / 2),
        ) else {
            return f64::NAN;
        };
        f64::midpoint(*low, *high)
    }

    /// The smallest value that at least nine tenths of the values do not exceed. `NaN` without values.
    pub(super) fn p90(&self) -> f64 {
        self.percentile(90)
    }

    /// The smallest value that at least ninety-nine of a hundred values do not exceed. `NaN` without values.
    pub(super) fn p99(&self) -> f64 {
        self.percentile(99)
    }

    fn percentile(&self, percent: usize) -> f64 {
        let sorted = self.sorted();
        let rank = (sorted.len() * percent).div_ceil(100);
        sorted
            .get(rank.saturating_sub(1))
            .copied()
            .unwrap_or(f64::NAN)
    }

    /// Value by value, how much more they are than those of `base` that were measured in the same rounds.
    pub(super) fn beyond(&self, base: &Self) -> Self {
        Self(self.0.iter().zip(&base.0).map(|(a, b)| a - b).collect())
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }
}

/// A time in milliseconds.
pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Samples {
        Samples(values.to_vec())
    }

    #[test]
    fn the_median_is_the_middle_of_any_order() {
        assert_eq!(of(&[9.0, 1.0, 5.0]).median(), 5.0);
        assert_eq!(of(&[4.0, 1.0, 2.0, 9.0]).median(), 3.0);
        assert!(of(&[]).median().is_nan());
    }

    #[test]
    fn the_p90_leaves_a_tenth_above() {
        let values: Vec<_> = (1..=20).map(f64::from).collect();
        assert_eq!(of(&values).p90(), 18.0);
        assert_eq!(of(&values).p99(), 20.0);
        assert_eq!(of(&[7.0]).p90(), 7.0);
        assert!(of(&[]).p90().is_nan());
    }

    #[test]
    fn differences_go_round_by_round() {
        let beyond = of(&[11.0, 103.0]).beyond(&of(&[10.0, 100.0]));
        assert_eq!(beyond.median(), 2.0);
    }
}
