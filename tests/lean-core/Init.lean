prelude
import Init.Small.Logic
import Init.Small.Data
import Init.Small.Decidable
import Init.Small.Operators
import Init.Small.Nat
import Init.Small.Scalars
import Init.Small.Collections
import Init.Small.Control
import Init.Small.Syntax
import Init.Small.Macro
import Init.Small.Notation
import Init.Small.Tactics
import Init.Small.Lemmas
import Init.Small.Show
import Init.Small.Support

/-!
# The small core library

The module that every Lean file imports without saying so. Parts are listed in the order in which they
build on each other.
-/
