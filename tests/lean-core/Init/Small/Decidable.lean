prelude
import Init.Small.Data

/-!
# Default values, axioms and decidability

`Inhabited` and `Nonempty`, the axioms that proofs may rest on, and `Decidable`: the class
behind `if … then … else` and the `decide` tactic.
-/

set_option linter.unusedVariables false
set_option linter.defProp false
universe u v

-- The generated constructor indices need `Nat.decEq`, which `Init.Small.Nat` defines.
set_option genCtorIdx false

/-! ## Default values -/

/-- Types with a value to fall back on. -/
class Inhabited (α : Sort u) where
  default : α
export Inhabited (default)

/-- Types with at least one value. -/
class inductive Nonempty (α : Sort u) : Prop where
  | intro (val : α) : Nonempty α

instance instNonemptyOfInhabited {α : Sort u} [Inhabited α] : Nonempty α := ⟨default⟩
instance : Inhabited Bool := ⟨false⟩
instance : Inhabited (Sort u) := ⟨PUnit⟩
instance : Inhabited PUnit := ⟨.unit⟩
instance {α : Sort u} {β : Sort v} [Inhabited β] : Inhabited (α → β) := ⟨fun _ => default⟩
instance {α : Type u} : Inhabited (Option α) := ⟨none⟩
instance {α : Type u} : Inhabited (List α) := ⟨.nil⟩

/-! ## Axioms -/

/-- A value of any type that is known to have one. -/
axiom Classical.choice {α : Sort u} : Nonempty α → α

/-- Propositions that follow from each other are equal. -/
axiom propext {a b : Prop} : Iff a b → Eq a b

/-- Functions that agree everywhere are equal. -/
axiom funext {α : Sort u} {β : α → Sort v} {f g : (x : α) → β x} (h : ∀ x, Eq (f x) (g x)) : Eq f g

/-- What `sorry` stands for. Every use is reported with a warning. -/
@[extern "lean_sorry", never_extract] axiom sorryAx (α : Sort u) (synthetic : Bool := false) : α

/-! ## Propositions that can be decided by computing -/

/-- Either a proof of `p` or a proof of `¬p`. -/
class inductive Decidable (p : Prop) where
  | isFalse (h : Not p) : Decidable p
  | isTrue (h : p) : Decidable p

/-- Whether `p` holds, as a truth value. -/
@[inline_if_reduce, nospecialize] def Decidable.decide (p : Prop) [h : Decidable p] : Bool :=
  h.casesOn (fun _ => false) (fun _ => true)
export Decidable (isTrue isFalse decide)

abbrev DecidablePred {α : Sort u} (r : α → Prop) := (a : α) → Decidable (r a)
abbrev DecidableRel {α : Sort u} {β : Sort v} (r : α → β → Prop) := (a : α) → (b : β) → Decidable (r a b)
abbrev DecidableEq (α : Sort u) := (a b : α) → Decidable (Eq a b)
def decEq {α : Sort u} [inst : DecidableEq α] (a b : α) : Decidable (Eq a b) := inst a b

theorem decide_eq_true : [inst : Decidable p] → p → Eq (decide p) true
  | isTrue _, _ => rfl
  | isFalse h₁, h₂ => absurd h₂ h₁

theorem decide_eq_false : [Decidable p] → Not p → Eq (decide p) false
  | isTrue h₁, h₂ => absurd h₁ h₂
  | isFalse _, _ => rfl

theorem of_decide_eq_true [inst : Decidable p] : Eq (decide p) true → p := fun h =>
  match (generalizing := false) inst with
  | isTrue h₁ => h₁
  | isFalse h₁ => Bool.noConfusion (Eq.trans (decide_eq_false h₁).symm h)

theorem of_decide_eq_false [inst : Decidable p] : Eq (decide p) false → Not p := fun h =>
  match (generalizing := false) inst with
  | isTrue h₁ => Bool.noConfusion (Eq.trans h.symm (decide_eq_true h₁))
  | isFalse h₁ => h₁

/-! ## Choosing by a decidable proposition -/

/-- `if c then t else e`. -/
@[macro_inline] def ite {α : Sort u} (c : Prop) [h : Decidable c] (t e : α) : α :=
  match h with
  | isTrue _ => t
  | isFalse _ => e

/-- `if h : c then t h else e h`. -/
@[macro_inline] def dite {α : Sort u} (c : Prop) [h : Decidable c] (t : c → α) (e : Not c → α) : α :=
  match h with
  | isTrue hc => t hc
  | isFalse hc => e hc

/-! ## Instances -/

def Bool.decEq (a b : Bool) : Decidable (Eq a b) :=
  match a, b with
  | false, false => isTrue rfl
  | false, true => isFalse fun h => Bool.noConfusion h
  | true, false => isFalse fun h => Bool.noConfusion h
  | true, true => isTrue rfl

instance instDecidableEqBool : DecidableEq Bool := Bool.decEq
instance : Decidable True := isTrue ⟨⟩
instance : Decidable False := isFalse id

@[macro_inline] instance instDecidableAnd {p q : Prop} [dp : Decidable p] [dq : Decidable q] :
    Decidable (And p q) :=
  match dp with
  | isTrue hp => match dq with
    | isTrue hq => isTrue ⟨hp, hq⟩
    | isFalse hq => isFalse fun h => hq h.right
  | isFalse hp => isFalse fun h => hp h.left

@[macro_inline] instance instDecidableOr {p q : Prop} [dp : Decidable p] [dq : Decidable q] :
    Decidable (Or p q) :=
  match dp with
  | isTrue hp => isTrue (.inl hp)
  | isFalse hp => match dq with
    | isTrue hq => isTrue (.inr hq)
    | isFalse hq => isFalse fun h => match h with | .inl h => hp h | .inr h => hq h

@[macro_inline] instance instDecidableNot {p : Prop} [dp : Decidable p] : Decidable (Not p) :=
  match dp with
  | isTrue hp => isFalse fun h => h hp
  | isFalse hp => isTrue hp

instance instDecidableNe {α : Sort u} [DecidableEq α] (a b : α) : Decidable (Ne a b) :=
  match decEq a b with
  | isTrue h => isFalse fun h' => h' h
  | isFalse h => isTrue h
