prelude
import Init.Small.Show

/-!
# Support for commands

What remains: the constants that recursion, `calc` and debugging look up by name.
-/

set_option linter.unusedVariables false
universe u v w

/-! ## Recursion -/

-- Inductive types get a size, and `termination_by` looks for a relation. Well-founded recursion itself
-- is not part of this core, so the class is only there to be named.
class WellFoundedRelation (α : Sort u) where
  rel : α → α → Prop

class SizeOf (α : Sort u) where
  sizeOf : α → Nat
export SizeOf (sizeOf)
protected def default.sizeOf (α : Sort u) : α → Nat := fun _ => 0
instance (priority := low) instSizeOfDefault (α : Sort u) : SizeOf α := ⟨default.sizeOf α⟩

/-! ## Chains in `calc` -/

/-- Relations that can follow each other: from `r a b` and `s b c` to `t a c`. -/
class Trans (r : α → β → Sort u) (s : β → γ → Sort v) (t : outParam (α → γ → Sort w)) where
  trans : r a b → s b c → t a c
export Trans (trans)
instance (r : α → γ → Sort u) : Trans Eq r r where trans h h' := h ▸ h'
instance (r : α → β → Sort u) : Trans r Eq r where trans h h' := h' ▸ h
instance : @Trans Nat Nat Nat LE.le LE.le LE.le where trans := Nat.le_trans

/-! ## Debugging -/

/-- Waits for `ms` milliseconds, then calls `fn`. A way to get slow evaluation in a test. -/
@[extern "lean_dbg_sleep"] def dbgSleep {α : Type u} (ms : UInt32) (fn : Unit → α) : α := fn ()

/-- Writes `msg` to standard error, then calls `fn`. -/
@[extern "lean_dbg_trace"] def dbgTrace {α : Type u} (msg : String) (fn : Unit → α) : α := fn ()
