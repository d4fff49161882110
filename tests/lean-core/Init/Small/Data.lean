prelude
import Init.Small.Logic

/-!
# Data types

Pairs, numbers, truth values, options and lists: the plain data that later parts and user files
build on. Only the types and the operations on `Bool` live here; `Init.Small.Nat` and `Init.Small.Collections`
have the functions.
-/

set_option linter.unusedVariables false
universe u v

-- The generated constructor indices need `Nat.decEq`, which `Init.Small.Nat` defines.
set_option genCtorIdx false

/-! ## Pairs -/

/-- `α × β`. -/
structure Prod (α : Type u) (β : Type v) where
  fst : α
  snd : β

/-- A pair of values of any sorts. -/
structure PProd (α : Sort u) (β : Sort v) where
  fst : α
  snd : β

/-- A pair whose two types share a universe. -/
structure MProd (α β : Type u) where
  fst : α
  snd : β

/-- A value that satisfies `p`, with the proof. -/
structure Subtype {α : Sort u} (p : α → Prop) where
  val : α
  property : p val

/-- A pair whose second type depends on the first value. -/
structure Sigma {α : Type u} (β : α → Type v) where
  fst : α
  snd : β fst

structure PSigma {α : Sort u} (β : α → Sort v) where
  fst : α
  snd : β fst

/-! ## Numbers and truth values -/

/-- The natural numbers. -/
inductive Nat where
  | zero : Nat
  | succ (n : Nat) : Nat

/-- The truth values that programs compute with. -/
inductive Bool : Type where
  | false : Bool
  | true : Bool
export Bool (false true)

@[macro_inline] def cond {α : Sort u} (c : Bool) (x y : α) : α :=
  match c with
  | true => x
  | false => y
@[macro_inline] def Bool.or (x y : Bool) : Bool := match x with | true => true | false => y
@[macro_inline] def Bool.and (x y : Bool) : Bool := match x with | false => false | true => y
@[inline] def Bool.not (x : Bool) : Bool := match x with | true => false | false => true

/-! ## Alternatives and sequences -/

/-- Either an `α` or a `β`. -/
inductive Sum (α : Type u) (β : Type v) where
  | inl (val : α) : Sum α β
  | inr (val : β) : Sum α β

inductive PSum (α : Sort u) (β : Sort v) where
  | inl (val : α) : PSum α β
  | inr (val : β) : PSum α β

/-- A value, or none. -/
inductive Option (α : Type u) where
  | none : Option α
  | some (val : α) : Option α
export Option (none some)

/-- A finite sequence. -/
inductive List (α : Type u) where
  | nil : List α
  | cons (head : α) (tail : List α) : List α

/-! ## Moving between universes -/

structure PLift (α : Sort u) : Type u where
  up ::
  down : α

structure PULift.{r, s} (α : Sort s) : Sort (max s r 1) where
  up ::
  down : α

structure ULift.{r, s} (α : Type s) : Type (max s r) where
  up ::
  down : α
