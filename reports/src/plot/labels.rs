//! Labels beside points: each where it hides least.

use super::canvas::{Area, Point};
use super::style::SMALL;

/// From a point to its label.
const GAP: f64 = 9.0;

/// Half the height of a capital letter.
const HALF_CAPITAL: f64 = 0.36 * SMALL;

/// From the baseline of a label to the lower edge of its area.
pub(super) const DESCENT: f64 = 3.0;

/// The areas that are taken, and where labels may be.
#[derive(Clone, Debug)]
pub(super) struct Labels {
    within: Area,
    taken: Vec<Area>,
}

impl Labels {
    pub(super) fn new(within: Area) -> Self {
        Self {
            within,
            taken: Vec::new(),
        }
    }

    /// Keeps labels away from a point.
    pub(super) fn avoid_point(&mut self, at: Point, distance: f64) {
        self.taken.push(around(at, distance));
    }

    /// Keeps labels away from connected level and upright lines.
    pub(super) fn avoid_line(&mut self, line: &[Point], distance: f64) {
        self.taken
            .extend(line.windows(2).filter_map(|pair| match *pair {
                [from, to] => Some(around(from, distance).joined(&around(to, distance))),
                _ => None,
            }));
    }

    /// Takes the area of a label of this width beside a point: a free one, or else the first inside, or none.
    pub(super) fn take(&mut self, at: Point, width: f64) -> Option<Area> {
        let candidates = candidates(at, width);
        let inside = |label: &&Area| self.within.joined(label) == self.within;
        let free = |label: &&Area| !self.taken.iter().any(|other| other.overlaps(label));
        let best = candidates.iter().filter(inside).find(free);
        let chosen = *best.or(candidates.iter().find(inside))?;
        self.taken.push(chosen);
        Some(chosen)
    }
}

/// The places of a label, the most usual first.
fn candidates((x, y): Point, width: f64) -> [Area; 8] {
    let (right, left, middle) = (x + GAP, x - GAP - width, x - width / 2.0);
    let (level, above, below) = (y + HALF_CAPITAL, y - GAP - DESCENT, y + GAP + SMALL);
    let places = [
        (right, level),
        (left, level),
        (middle, above),
        (middle, below),
        (right, above),
        (right, below),
        (left, above),
        (left, below),
    ];
    places.map(|(left, baseline)| Area {
        left,
        right: left + width,
        top: baseline - SMALL,
        bottom: baseline + DESCENT,
    })
}

fn around((x, y): Point, distance: f64) -> Area {
    Area {
        left: x - distance,
        right: x + distance,
        top: y - distance,
        bottom: y + distance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHIN: Area = Area {
        left: 0.0,
        top: 0.0,
        right: 300.0,
        bottom: 200.0,
    };

    #[test]
    fn labels_do_not_overlap() {
        let mut labels = Labels::new(WITHIN);
        let areas: Vec<Area> = (0..4)
            .map(|_| labels.take((150.0, 100.0), 60.0).unwrap())
            .collect();
        for (k, one) in areas.iter().enumerate() {
            assert!(areas[..k].iter().all(|other| !one.overlaps(other)));
        }
    }

    #[test]
    fn labels_stay_inside_and_avoid_lines() {
        let mut labels = Labels::new(WITHIN);
        assert!(labels.take((290.0, 100.0), 60.0).unwrap().right < 290.0);
        labels.avoid_line(&[(160.0, 50.0), (160.0, 150.0)], 3.0);
        assert!(labels.take((150.0, 30.0), 60.0).unwrap().left > 150.0);
        assert!(labels.take((150.0, 120.0), 60.0).unwrap().right < 150.0);
    }

    #[test]
    fn a_crowded_place_still_has_a_label_and_a_wide_one_none() {
        let mut labels = Labels::new(WITHIN);
        labels.avoid_point((150.0, 100.0), 500.0);
        assert!(labels.take((150.0, 100.0), 60.0).is_some());
        assert_eq!(labels.take((150.0, 100.0), 600.0), None);
    }
}
