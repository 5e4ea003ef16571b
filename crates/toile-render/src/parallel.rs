//! Loops over pixels and triangles on all threads, or on one without the feature `parallel`.
//!
//! Every result is written by one call of the loop's body, and they are gathered in their order: how many threads
//! there are makes no difference to them.

/// `f(0), f(1), …`.
pub(crate) fn in_order<T: Send>(count: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        (0..count).into_par_iter().map(f).collect()
    }
    #[cfg(not(feature = "parallel"))]
    (0..count).map(f).collect()
}

/// What there is of `f(0, &items[0]), f(1, &items[1]), …`.
pub(crate) fn some_of<I: Sync, T: Send>(
    items: &[I],
    f: impl Fn(usize, &I) -> Option<T> + Sync + Send,
) -> Vec<T> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let items = items.par_iter().enumerate();
        items.filter_map(|(k, item)| f(k, item)).collect()
    }
    #[cfg(not(feature = "parallel"))]
    {
        let items = items.iter().enumerate();
        items.filter_map(|(k, item)| f(k, item)).collect()
    }
}

/// Calls `f` with the number of each piece of this length and the piece; the last one may be shorter.
pub(crate) fn for_each_piece<T: Send>(
    all: &mut [T],
    length: usize,
    f: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    let piece = |(k, piece): (usize, &mut [T])| f(k, piece);
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        all.par_chunks_mut(length).enumerate().for_each(piece);
    }
    #[cfg(not(feature = "parallel"))]
    all.chunks_mut(length).enumerate().for_each(piece);
}

/// The same with the pieces of two lists side by side.
pub(crate) fn for_each_piece_of_two<A: Send, B: Send>(
    (a, b): (&mut [A], &mut [B]),
    length: usize,
    f: impl Fn(usize, &mut [A], &mut [B]) + Sync + Send,
) {
    let piece = |(k, (a, b)): (usize, (&mut [A], &mut [B]))| f(k, a, b);
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let pieces = a.par_chunks_mut(length).zip(b.par_chunks_mut(length));
        pieces.enumerate().for_each(piece);
    }
    #[cfg(not(feature = "parallel"))]
    {
        let pieces = a.chunks_mut(length).zip(b.chunks_mut(length));
        pieces.enumerate().for_each(piece);
    }
}
