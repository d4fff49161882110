prelude

/-!
# Logic

Propositions, equality and connectives, and the constants that the code generator asks for by name.

Everything here is fixed by the Lean binary: names, the order of arguments and the order of
constructors have to be what the built-in elaborators and the kernel expect. No notation exists yet,
so `Eq a b` and `Not p` are written out; `Init.Small.Notation` gives them their usual look.
-/

set_option linter.unusedVariables false
set_option linter.defProp false
universe u v u₁ u₂

/-! ## Markers of the code generator. They have to be the first declarations of the library. -/

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α
unsafe axiom lcUnreachable {α : Sort u} : α

/-! ## Functions, and the wrappers that mark binders for the elaborator -/

/-- The function that gives back its argument. -/
@[inline] def id {α : Sort u} (a : α) : α := a

set_option checkBinderAnnotations false in
/-- The instance that type class search finds for `α`. -/
abbrev inferInstance {α : Sort u} [i : α] : α := i

/-- `f ∘ g`: first `g`, then `f`. -/
@[inline] abbrev Function.comp {α : Sort u} {β : Sort v} {δ : Sort u₁} (f : β → δ) (g : α → β) : α → δ :=
  fun x => f (g x)

/-- The function that is `a` everywhere. -/
@[inline] abbrev Function.const {α : Sort u} (β : Sort v) (a : α) : β → α := fun _ => a

@[reducible] def outParam (α : Sort u) : Sort u := α
@[reducible] def semiOutParam (α : Sort u) : Sort u := α
@[reducible] def optParam (α : Sort u) (default : α) : Sort u := α
@[reducible] def namedPattern {α : Sort u} (x a : α) (h : α) : α := a

/-! ## Unit, truth and falsehood -/

set_option bootstrap.inductiveCheckResultingUniverse false in
/-- The type with one value, in any universe. -/
inductive PUnit : Sort u where
  | unit : PUnit

/-- The type with one value. -/
abbrev Unit : Type := PUnit
@[match_pattern] abbrev Unit.unit : Unit := PUnit.unit

/-- The proposition that holds. -/
inductive True : Prop where
  | intro : True

/-- The proposition without a proof. -/
inductive False : Prop

/-- The type without a value. -/
inductive Empty : Type

set_option bootstrap.inductiveCheckResultingUniverse false in
inductive PEmpty : Sort u

/-- `¬a`: from `a` follows `False`. -/
def Not (a : Prop) : Prop := a → False

@[macro_inline] def False.elim {C : Sort u} (h : False) : C := h.rec
@[macro_inline] def absurd {a : Prop} {b : Sort v} (h₁ : a) (h₂ : Not a) : b := (h₂ h₁).rec
theorem trivial : True := ⟨⟩

/-! ## Equality -/

/-- `a = b`. -/
inductive Eq : α → α → Prop where
  | refl (a : α) : Eq a a

abbrev Eq.ndrec.{a₁, a₂} {α : Sort a₂} {a : α} {motive : α → Sort a₁}
    (m : motive a) {b : α} (h : Eq a b) : motive b := h.rec m

/-- `a = a`, with `a` found from the expected type. -/
@[match_pattern] def rfl {α : Sort u} {a : α} : Eq a a := Eq.refl a

theorem id_eq (a : α) : Eq (id a) a := rfl
theorem Eq.subst {α : Sort u} {motive : α → Prop} {a b : α} (h₁ : Eq a b) (h₂ : motive a) : motive b :=
  Eq.ndrec h₂ h₁
theorem Eq.symm {α : Sort u} {a b : α} (h : Eq a b) : Eq b a := h.rec (Eq.refl a)
theorem Eq.trans {α : Sort u} {a b c : α} (h₁ : Eq a b) (h₂ : Eq b c) : Eq a c := h₂.rec h₁

/-- A value of one type as a value of an equal type. -/
@[macro_inline] def cast {α β : Sort u} (h : Eq α β) (a : α) : β := h.rec a

theorem congrArg {α : Sort u} {β : Sort v} {a₁ a₂ : α} (f : α → β) (h : Eq a₁ a₂) : Eq (f a₁) (f a₂) :=
  h.rec rfl
theorem congr {α : Sort u} {β : Sort v} {f₁ f₂ : α → β} {a₁ a₂ : α}
    (h₁ : Eq f₁ f₂) (h₂ : Eq a₁ a₂) : Eq (f₁ a₁) (f₂ a₂) := h₁.rec (h₂.rec rfl)
theorem congrFun {α : Sort u} {β : α → Sort v} {f g : (x : α) → β x} (h : Eq f g) (a : α) :
    Eq (f a) (g a) := h.rec rfl

@[macro_inline] def Eq.mp {α β : Sort u} (h : Eq α β) (a : α) : β := h.rec a
@[macro_inline] def Eq.mpr {α β : Sort u} (h : Eq α β) (b : β) : α := h.symm.rec b
theorem Eq.mpr_prop {p q : Prop} (h₁ : Eq p q) (h₂ : q) : p := h₁.symm.rec h₂
theorem Eq.mp_prop {p q : Prop} (h₁ : Eq p q) (h₂ : p) : q := h₁.rec h₂
theorem of_eq_true {p : Prop} (h : Eq p True) : p := h.symm.rec True.intro

/-- `a ≠ b`. -/
@[reducible] def Ne {α : Sort u} (a b : α) : Prop := Not (Eq a b)

/-! ## Equality of values whose types are only provably equal -/

/-- `a ≍ b`. -/
inductive HEq : {α : Sort u} → α → {β : Sort u} → β → Prop where
  | refl (a : α) : HEq a a

@[match_pattern] protected def HEq.rfl {α : Sort u} {a : α} : HEq a a := HEq.refl a

theorem eq_of_heq {α : Sort u} {a a' : α} (h : HEq a a') : Eq a a' :=
  have step : (α β : Sort u) → (a : α) → (b : β) → HEq a b → (h : Eq α β) → Eq (cast h a) b :=
    fun _ _ _ _ same => same.rec (fun _ => rfl)
  step α α a a' h rfl

theorem heq_of_eq {α : Sort u} {a a' : α} (h : Eq a a') : HEq a a' := h.rec (HEq.refl a)

/-! ## Connectives -/

/-- `a ∧ b`. -/
structure And (a b : Prop) : Prop where
  intro ::
  left : a
  right : b

/-- `a ∨ b`. -/
inductive Or (a b : Prop) : Prop where
  | inl (h : a) : Or a b
  | inr (h : b) : Or a b

/-- `a ↔ b`. -/
structure Iff (a b : Prop) : Prop where
  intro ::
  mp : a → b
  mpr : b → a

/-- `∃ x, p x`. -/
inductive Exists {α : Sort u} (p : α → Prop) : Prop where
  | intro (w : α) (h : p w) : Exists p
