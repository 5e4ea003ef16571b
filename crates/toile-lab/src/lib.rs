//! toile-lab
