//! toile-render
