//! The name of a selection, as the program may have written it, and its place for the supervisor.

use super::Remote;
use crate::runtime::direct;
use crate::runtime::statics;
use crate::select::OnOnePe;
use crate::symmetric::Item;
use crate::system::told::AskedCells;

impl<I: Item, F: OnOnePe> Remote<'_, I, F> {
    /// Where the elements lie, if that is side by side.
    pub(crate) fn as_cells(&self) -> Option<AskedCells> {
        let region = self.at.places().region()?;
        Some(AskedCells { pe: self.pe, offset: region.offset, len: region.dense(size_of::<I::Value>())? })
    }

    /// A name for messages: `FLAGS[3]`, `FLAGS[0..8;2] of PE 2`.
    pub(crate) fn label(&self) -> String {
        let name = &self.info.name;
        let places = self.at.places();
        let Some(region) = places.region() else {
            let label = format!("{} elements of {name}", places.len());
            return if self.pe == direct::my_pe() { label } else { format!("{label} of PE {}", self.pe) };
        };
        let elem = size_of::<I::Value>();
        let place = statics::place_of(self.info);
        let is_per_pe = self.info.kind.starts_with("PerPe<");
        // Of one axis, or of none: what has more axes is counted, since its extents are not known.
        let is_flat = !self.info.kind.contains("[[") && !self.info.kind.contains("PerPe<[");
        let first = place.and_then(|(start, _)| Some(region.offset.checked_sub(start)? / elem));
        let label = match (place, first, region.runs()) {
            (Some((_, bytes)), _, []) if bytes == elem && !is_per_pe => name.to_string(),
            (_, Some(first), []) if is_flat => format!("{name}[{first}]"),
            (_, Some(first), []) => format!("element {first} of {name}"),
            (Some((_, bytes)), _, [run]) if run.stride == elem && run.count * elem == bytes && !is_per_pe => {
                format!("{name}[..]")
            }
            (_, Some(first), [run]) if is_flat && run.stride.is_multiple_of(elem) && run.stride > 0 => {
                let step = run.stride / elem;
                let end = first + run.count.saturating_sub(1) * step + usize::from(run.count > 0);
                let step = if step == 1 { String::new() } else { format!(";{step}") };
                format!("{name}[{first}..{end}{step}]")
            }
            (_, _, []) => format!("an element of {name}"),
            _ => format!("{} elements of {name}", region.len()),
        };
        if self.pe == direct::my_pe() { label } else { format!("{label} of PE {}", self.pe) }
    }
}
