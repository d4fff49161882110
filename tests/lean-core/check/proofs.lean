/-! Every tactic and every notation of the core, used once. Nothing here may say a word. -/

/-! ## Terms -/

example (p q : Prop) (hp : p) (hq : q) : p /\ q := ⟨hp, hq⟩
example (p q : Prop) : p \/ q <-> q \/ p := ⟨Or.symm, Or.symm⟩
example (h : 1 <= 2) : 2 >= 1 := h
example : ∃ x y : Nat, x = y := ⟨1, 1, rfl⟩
example (p : Prop) (_h : p) : p := ‹p›
example (f g : Nat → Nat) (h : ∀ x, f x = g x) : f = g := funext h
example (a b c : Nat) (h : a = b) (h' : b = c) : a = c :=
  calc a = b := h
    _ = c := h'
open Nat in
example : 0 + 1 = 1 := zero_add 1

/-! ## Giving terms, splitting goals -/

example (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  · exact hp
  · assumption

example (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  refine ⟨?left, ?right⟩
  case right => exact hq
  next => exact hp

example (p q : Prop) : p ∨ q → q ∨ p := by
  intro h
  cases h with
  | inl hp => right; exact hp
  | inr hq => left; first | contradiction | exact hq

example (p : Prop) (h : p) : p ∧ p := by
  apply And.intro <;> try assumption

example (p q : Prop) (h : p → q) (hp : p) : q := by
  specialize h hp
  show q
  exact h

example : ∃ x : Nat, x = 2 := by
  exists 2

example (p q : Prop) (hp : p) (h : p → q) : q := by
  have hq := h hp
  suffices goal : q from goal
  let same := hq
  exact same

example (p : Prop) (h : p) (n : ¬p) : 1 = 2 := by
  exfalso
  exact n h

example : Decidable (1 = 2) := by infer_instance

/-! ## Hypotheses -/

example (a b : Nat) (h : a = b) : b = a := by
  subst h
  rfl

example (a b : Nat) (h : a = b) : b = a := by
  subst_vars
  rfl

example : ∀ n : Nat, n = n → True := by
  intros n h
  revert h
  intro h
  clear h
  trivial

example (a b : Nat) (h : a = b) : b = a := by
  rename a = b => same
  exact same.symm

example (p q : Prop) (h : p ∧ q) : q := by
  obtain ⟨_, hq⟩ := h
  exact hq

example (x : Nat) (h : x = 1 ∨ x = 2) : x ≠ 0 := by
  rcases h with rfl | rfl
  · decide
  · decide

example (p q : Prop) : p ∧ q → q := by
  rintro ⟨_, hq⟩
  exact hq

example (p : Prop) [Decidable p] : p ∨ ¬p := by
  by_cases h : p
  · left; exact h
  · right; exact h

/-! ## Equations -/

example (a b : Nat) (h : a.succ = b.succ) : a = b := by
  injection h

example (a b : Nat) (h : a = b) (k : b = 3) : a = 3 := by
  rw [h]
  exact k

example (a b : Nat) (h : a = b) (k : b = 3) : a = 3 := by
  rwa [← h] at k

example (n : Nat) : n + 1 + 0 = n + 1 := by
  generalize n + 1 = m
  rfl

example (a b : Nat) (h : a = b) : a + 1 = b + 1 := by
  congr

example (f g : Nat → Nat) (h : ∀ x, f x = g x) : f = g := by
  funext x
  exact h x

example (a b c : Nat) (h : a = b) (h' : b = c) : a = c := by
  calc a = b := h
    _ = c := by exact h'

example (a b c : Nat) (h : a ≤ b) (h' : b = c) : a ≤ c := by
  calc a ≤ b := h
    _ = c := h'

example (a b c : Nat) : a * (b + c) = c * a + b * a := by
  rw [Nat.mul_add, Nat.mul_comm a b, Nat.mul_comm a c, Nat.add_comm]

/-! ## Induction and cases -/

example (n : Nat) : 0 + n = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Nat.add_succ, ih]

theorem length_append (xs ys : List Nat) : (xs ++ ys).length = xs.length + ys.length := by
  induction xs with
  | nil => simp
  | cons x xs ih => simp [Nat.succ_add, Nat.add_comm]

example (n : Nat) : (match n with | 0 => 0 | k + 1 => k) ≤ n := by
  split
  · exact Nat.zero_le _
  · exact Nat.le_succ _

example (p q : Prop) [Decidable p] (h : q) : if p then q else q := by
  split
  · exact h
  · exact h

/-! ## Simplification and decision -/

example (n m : Nat) (h : n + 0 = m * 1) : n = m ∧ True := by
  simp at h
  simp [h]

example (p q : Prop) (h : p → q) (hp : p) : q := by
  simp_all

example (p q : Prop) (h : p ∧ True) (k : p → q) : q := by
  simpa using k (by simpa using h)

example (a b : Nat) : (a, b).1 = a := by
  dsimp

example (a b : Nat) (h : some a = some b) : a = b := by
  simp at h
  exact h

example (p : Prop) [Decidable p] (h : ¬p) : (if p then 1 else 2) = 2 := by
  simp [h]

example (xs : List Nat) : [] ++ xs ++ [] = xs := by simp
example (b : Bool) : (b && true || false) = !!b := by simp
example : "a" ≠ "b" := by simp
example : ∃ x : Nat, x = 2 := by simp
example : 2 + 2 = 4 ∧ 7 / 2 = 3 ∧ 7 % 2 = 1 ∧ 2 ^ 10 = 1024 := by decide
example : ¬3 ≤ 2 := by decide

/-! ## Combinators -/

example (p : Prop) (h : p) : p ∧ p ∧ p := by
  repeat' constructor
  all_goals exact h

example (p : Prop) (h : p) : p ∧ p := by
  constructor
  any_goals skip
  focus exact h
  rotate_left
  try fail "not needed"
  fail_if_success exact True.intro
  exact h

def double (n : Nat) : Nat := n + n
example (n : Nat) : double n = n + n := by
  unfold double
  with_reducible rfl
example (n : Nat) : double n = n + n := by
  change n + n = n + n
  rfl

macro "by_truth" : tactic => `(tactic| exact True.intro)
example : True := by by_truth
notation:50 a " ⊕⊕ " b => Nat.add a b
example : (1 ⊕⊕ 2) = 3 := rfl
