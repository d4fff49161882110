prelude
import Init.Small.Tactics

/-!
# Lemmas

Facts that the proofs built by `simp`, `rw`, `split` and `decide` mention by name, the rules that
`simp` uses unasked, and a few facts about numbers and lists to work with.

The first section is fixed by the binary, arguments included. The others are a selection.
-/

universe u v

/-! ## Named by proof producers -/

section
variable {p q : Prop}
theorem mt (h : p → q) (nq : ¬q) : ¬p := fun hp => nq (h hp)
theorem Lean.injEq_helper {r : Prop} (h : p → q → r) (both : p ∧ q) : r := h both.1 both.2
theorem Eq.propIntro (h₁ : p → q) (h₂ : q → p) : p = q := propext ⟨h₁, h₂⟩
@[simp] theorem eq_self (a : α) : (a = a) = True := propext ⟨fun _ => trivial, fun _ => rfl⟩
theorem eq_true (h : p) : p = True := propext ⟨fun _ => trivial, fun _ => h⟩
theorem eq_false (h : ¬p) : p = False := propext ⟨fun h' => absurd h' h, fun h' => h'.elim⟩
theorem eq_false' (h : p → False) : p = False := eq_false h
theorem of_eq_false (h : p = False) : ¬p := fun hp => Eq.mp_prop h hp
theorem eq_true_of_decide {p : Prop} [Decidable p] (h : decide p = true) : p = True := eq_true (of_decide_eq_true h)
theorem eq_false_of_decide {p : Prop} [Decidable p] (h : decide p = false) : p = False :=
  eq_false (of_decide_eq_false h)
end

theorem implies_congr {p₁ p₂ : Sort u} {q₁ q₂ : Sort v} (h₁ : p₁ = p₂) (h₂ : q₁ = q₂) : (p₁ → q₁) = (p₂ → q₂) :=
  h₁.rec (h₂.rec rfl)
theorem forall_congr {α : Sort u} {p q : α → Prop} (h : ∀ a, p a = q a) : (∀ a, p a) = (∀ a, q a) :=
  propext ⟨fun h' a => Eq.mp_prop (h a) (h' a), fun h' a => Eq.mpr_prop (h a) (h' a)⟩
theorem implies_congr_ctx {p₁ p₂ q₁ q₂ : Prop} (h₁ : p₁ = p₂) (h₂ : p₂ → q₁ = q₂) : (p₁ → q₁) = (p₂ → q₂) :=
  propext ⟨
    fun h hp => Eq.mp_prop (h₂ hp) (h (Eq.mpr_prop h₁ hp)),
    fun h hp => Eq.mpr_prop (h₂ (Eq.mp_prop h₁ hp)) (h (Eq.mp_prop h₁ hp))⟩
theorem congrFun' {α : Sort u} {β : Sort v} {f g : α → β} (h : f = g) (a : α) : f a = g a := h.rec rfl

/-- Types with at most one value. Congruence proofs ask for it when a term holds a `Decidable`. -/
class Subsingleton (α : Sort u) : Prop where
  intro ::
  allEq : (a b : α) → a = b
protected theorem Subsingleton.elim {α : Sort u} [h : Subsingleton α] (a b : α) : a = b := h.allEq a b
protected theorem Subsingleton.helim {α β : Sort u} [h : Subsingleton α] (same : α = β) (a : α) (b : β) : a ≍ b := by
  subst same
  exact heq_of_eq (h.allEq a b)
instance (p : Prop) : Subsingleton p := ⟨fun _ _ => rfl⟩
instance (p : Prop) : Subsingleton (Decidable p) := ⟨fun
  | isTrue _, isTrue _ => rfl
  | isFalse _, isFalse _ => rfl
  | isTrue h, isFalse n => absurd h n
  | isFalse n, isTrue h => absurd h n⟩

section
variable {α : Sort u} {c d : Prop}
theorem ite_eq_left {h : Decidable c} (hc : c) {α : Sort u} {t e : α} : (if c then t else e) = t :=
  match h with
  | isTrue _ => rfl
  | isFalse nc => absurd hc nc
theorem ite_eq_right {h : Decidable c} (nc : ¬c) {α : Sort u} {t e : α} : (if c then t else e) = e :=
  match h with
  | isTrue hc => absurd hc nc
  | isFalse _ => rfl
theorem dite_eq_left {h : Decidable c} (hc : c) {α : Sort u} {t : c → α} {e : ¬c → α} : dite c t e = t hc :=
  match h with
  | isTrue _ => rfl
  | isFalse nc => absurd hc nc
theorem dite_eq_right {h : Decidable c} (nc : ¬c) {α : Sort u} {t : c → α} {e : ¬c → α} : dite c t e = e nc :=
  match h with
  | isTrue hc => absurd hc nc
  | isFalse _ => rfl
theorem ite_eq_left_of_eq_true {_ : Decidable c} (t e : α) (h : c = True) : (if c then t else e) = t :=
  ite_eq_left (of_eq_true h)
theorem ite_eq_right_of_eq_false {_ : Decidable c} (t e : α) (h : c = False) : (if c then t else e) = e :=
  ite_eq_right (of_eq_false h)
theorem dite_eq_left_of_eq_true {_ : Decidable c} {t : c → α} {e : ¬c → α} (h : c = True) :
    dite c t e = t (of_eq_true h) := dite_eq_left (of_eq_true h)
theorem dite_eq_right_of_eq_false {_ : Decidable c} {t : c → α} {e : ¬c → α} (h : c = False) :
    dite c t e = e (of_eq_false h) := dite_eq_right (of_eq_false h)
theorem ite_cond_congr {_ : Decidable c} {_ : Decidable d} {t e : α} (h : c = d) :
    (if c then t else e) = (if d then t else e) := by
  by_cases hc : c
  · rw [ite_eq_left hc, ite_eq_left (Eq.mp_prop h hc)]
  · rw [ite_eq_right hc, ite_eq_right fun hd => hc (Eq.mpr_prop h hd)]
end

-- From here on `some a = some b` and the like are rewritten to equations between the arguments.
gen_injective_theorems% Nat
gen_injective_theorems% Prod
gen_injective_theorems% Sum
gen_injective_theorems% Option
gen_injective_theorems% List

/-! ## Propositions -/

@[simp] theorem and_true (p : Prop) : (p ∧ True) = p := propext ⟨fun h => h.1, fun h => ⟨h, trivial⟩⟩
@[simp] theorem true_and (p : Prop) : (True ∧ p) = p := propext ⟨fun h => h.2, fun h => ⟨trivial, h⟩⟩
@[simp] theorem and_false (p : Prop) : (p ∧ False) = False := eq_false fun h => h.2
@[simp] theorem false_and (p : Prop) : (False ∧ p) = False := eq_false fun h => h.1
@[simp] theorem and_self (p : Prop) : (p ∧ p) = p := propext ⟨fun h => h.1, fun h => ⟨h, h⟩⟩
@[simp] theorem or_self (p : Prop) : (p ∨ p) = p := propext ⟨fun h => h.rec id id, Or.inl⟩
@[simp] theorem or_true (p : Prop) : (p ∨ True) = True := eq_true (.inr trivial)
@[simp] theorem true_or (p : Prop) : (True ∨ p) = True := eq_true (.inl trivial)
@[simp] theorem or_false (p : Prop) : (p ∨ False) = p := propext ⟨fun h => h.rec id False.elim, Or.inl⟩
@[simp] theorem false_or (p : Prop) : (False ∨ p) = p := propext ⟨fun h => h.rec False.elim id, Or.inr⟩
@[simp] theorem implies_true (α : Sort u) : (α → True) = True := eq_true fun _ => trivial
@[simp] theorem not_false_eq_true : (¬False) = True := eq_true id
@[simp] theorem not_true_eq_false : (¬True) = False := eq_false fun h => h trivial
@[simp] theorem iff_self (p : Prop) : (p ↔ p) = True := eq_true ⟨id, id⟩
@[simp] theorem ne_eq (a b : α) : (a ≠ b) = ¬(a = b) := rfl
@[simp] theorem exists_eq (a : α) : (∃ x, x = a) = True := eq_true ⟨a, rfl⟩
@[simp] theorem exists_eq' (a : α) : (∃ x, a = x) = True := eq_true ⟨a, rfl⟩

section
variable {p q r : Prop}
theorem Or.elim (h : p ∨ q) (f : p → r) (g : q → r) : r := h.rec f g
theorem And.symm (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩
theorem Or.symm (h : p ∨ q) : q ∨ p := h.rec .inr .inl
theorem Iff.refl (p : Prop) : p ↔ p := ⟨id, id⟩
theorem Iff.symm (h : p ↔ q) : q ↔ p := ⟨h.mpr, h.mp⟩
theorem Iff.trans (h : p ↔ q) (h' : q ↔ r) : p ↔ r := ⟨fun hp => h'.mp (h.mp hp), fun hr => h.mpr (h'.mpr hr)⟩
theorem Ne.symm {a b : α} (h : a ≠ b) : b ≠ a := fun same => h same.symm
end

/-! ## Truth values -/

@[simp] theorem Bool.and_true (b : Bool) : (b && true) = b := by cases b <;> rfl
@[simp] theorem Bool.true_and (b : Bool) : (true && b) = b := rfl
@[simp] theorem Bool.and_false (b : Bool) : (b && false) = false := by cases b <;> rfl
@[simp] theorem Bool.false_and (b : Bool) : (false && b) = false := rfl
@[simp] theorem Bool.or_true (b : Bool) : (b || true) = true := by cases b <;> rfl
@[simp] theorem Bool.true_or (b : Bool) : (true || b) = true := rfl
@[simp] theorem Bool.or_false (b : Bool) : (b || false) = b := by cases b <;> rfl
@[simp] theorem Bool.false_or (b : Bool) : (false || b) = b := rfl
@[simp] theorem Bool.not_not (b : Bool) : (!!b) = b := by cases b <;> rfl

/-! ## Natural numbers -/

namespace Nat
@[simp] theorem add_zero (n : Nat) : n + 0 = n := rfl
@[simp] theorem zero_add (n : Nat) : 0 + n = n := n.rec rfl fun _ ih => congrArg succ ih
theorem succ_add (n m : Nat) : n.succ + m = (n + m).succ := m.rec rfl fun _ ih => congrArg succ ih
theorem add_succ (n m : Nat) : n + m.succ = (n + m).succ := rfl
theorem add_comm (n m : Nat) : n + m = m + n :=
  m.rec (zero_add n).symm fun _ ih => Eq.trans (congrArg succ ih) (succ_add _ _).symm
theorem add_assoc (n m k : Nat) : n + m + k = n + (m + k) := k.rec rfl fun _ ih => congrArg succ ih
theorem add_left_comm (n m k : Nat) : n + (m + k) = m + (n + k) := by
  rw [← add_assoc, add_comm n m, add_assoc]

@[simp] theorem mul_zero (n : Nat) : n * 0 = 0 := rfl
@[simp] theorem zero_mul (n : Nat) : 0 * n = 0 := n.rec rfl fun _ ih => ih
@[simp] theorem mul_one (n : Nat) : n * 1 = n := zero_add n
theorem mul_succ (n m : Nat) : n * m.succ = n * m + n := rfl
theorem succ_mul (n m : Nat) : n.succ * m = n * m + m := by
  induction m with
  | zero => rfl
  | succ m ih =>
    rw [mul_succ, mul_succ, ih, add_assoc, add_assoc, add_comm m n.succ, succ_add]
    rfl
@[simp] theorem one_mul (n : Nat) : 1 * n = n := by rw [succ_mul, zero_mul, zero_add]
theorem mul_comm (n m : Nat) : n * m = m * n := by
  induction m with
  | zero => rw [mul_zero, zero_mul]
  | succ m ih => rw [mul_succ, succ_mul, ih]
theorem mul_add (n m k : Nat) : n * (m + k) = n * m + n * k := by
  induction k with
  | zero => rfl
  | succ k ih => rw [add_succ, mul_succ, mul_succ, ih, add_assoc]
theorem add_mul (n m k : Nat) : (n + m) * k = n * k + m * k := by
  rw [mul_comm, mul_add, mul_comm k n, mul_comm k m]
theorem mul_assoc (n m k : Nat) : n * m * k = n * (m * k) := by
  induction k with
  | zero => rfl
  | succ k ih => rw [mul_succ, mul_succ, mul_add, ih]

@[simp] theorem sub_zero (n : Nat) : n - 0 = n := rfl
theorem succ_sub_succ (n m : Nat) : n.succ - m.succ = n - m := by
  induction m with
  | zero => rfl
  | succ m ih => exact congrArg pred ih
@[simp] theorem sub_self (n : Nat) : n - n = 0 := by
  induction n with
  | zero => rfl
  | succ n ih => rw [succ_sub_succ, ih]

@[simp] theorem le_refl (n : Nat) : n ≤ n := .refl
@[simp] theorem le_add_right (n k : Nat) : n ≤ n + k := k.rec .refl fun _ ih => .step ih
theorem lt_succ_self (n : Nat) : n < n.succ := .refl
theorem le_of_lt {n m : Nat} (h : n < m) : n ≤ m := Nat.le_trans (le_succ n) h
theorem lt_of_lt_of_le {n m k : Nat} (h : n < m) (h' : m ≤ k) : n < k := Nat.le_trans h h'
theorem lt_of_le_of_lt {n m k : Nat} (h : n ≤ m) (h' : m < k) : n < k := Nat.le_trans (succ_le_succ h) h'
theorem lt_trans {n m k : Nat} (h : n < m) (h' : m < k) : n < k := lt_of_lt_of_le h (le_of_lt h')
theorem not_lt_zero (n : Nat) : ¬n < 0 := not_succ_le_zero n
theorem lt_irrefl (n : Nat) : ¬n < n := by
  induction n with
  | zero => exact not_lt_zero 0
  | succ n ih => exact fun h => ih (le_of_succ_le_succ h)
theorem le_antisymm {n m : Nat} (h : n ≤ m) (h' : m ≤ n) : n = m := by
  cases h with
  | refl => rfl
  | step h => exact absurd (lt_of_lt_of_le (succ_le_succ h) h') (lt_irrefl _)
theorem succ_ne_zero (n : Nat) : n.succ ≠ 0 := fun h => nomatch h
end Nat

/-! ## Lists -/

namespace List
variable {α : Type u} {β : Type v}
@[simp] theorem nil_append (as : List α) : [] ++ as = as := rfl
@[simp] theorem cons_append (a : α) (as bs : List α) : a :: as ++ bs = a :: (as ++ bs) := rfl
@[simp] theorem append_nil (as : List α) : as ++ [] = as := by
  induction as with
  | nil => rfl
  | cons a as ih => rw [cons_append, ih]
@[simp] theorem append_assoc (as bs cs : List α) : as ++ bs ++ cs = as ++ (bs ++ cs) := by
  induction as with
  | nil => rfl
  | cons a as ih => rw [cons_append, cons_append, cons_append, ih]
@[simp] theorem length_nil : ([] : List α).length = 0 := rfl
@[simp] theorem length_cons (a : α) (as : List α) : (a :: as).length = as.length + 1 := rfl
@[simp] theorem length_append (as bs : List α) : (as ++ bs).length = as.length + bs.length := by
  induction as with
  | nil => rw [nil_append, length_nil, Nat.zero_add]
  | cons a as ih => rw [cons_append, length_cons, length_cons, ih, Nat.add_assoc, Nat.add_assoc, Nat.add_comm 1]
@[simp] theorem map_nil (f : α → β) : ([] : List α).map f = [] := rfl
@[simp] theorem map_cons (f : α → β) (a : α) (as : List α) : (a :: as).map f = f a :: as.map f := rfl
end List
