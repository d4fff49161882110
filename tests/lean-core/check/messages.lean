/-! The messages that clients of a Lean server live on: errors, goals, warnings, suggestions. -/

example (p q : Prop) (hp : p) : p ∧ q := by
  constructor
  · exact hp

example (n : Nat) : n + 1 = 1 + n := by
  skip

theorem todo : 1 = 2 := sorry

example (p : Prop) (h : p) : p ∧ p := by
  trace_state
  trace "looking"
  exact?

example (a b : Nat) : a + b = b + a := by
  simp? [Nat.add_comm]

example : 1 + true = 2 := rfl
example : Nat := missing
example : Nat := "text"
example (p : Prop) : p := by
  assumption
example (p : Prop) (h : p) : p := by
  exact h
  exact h
example (p : Prop) (h : p) : p := by
  constructor
  stop
  not a tactic
#check_failure 1 + true
def loop (n : Nat) : Nat := loop (n + 1)
example : True := by
  fail "on purpose"
example : True := (
