/-! False statements, and proofs that are none. Every one has to be refused: a core library with a
mistake in it could make Lean believe them. -/

example : 1 = 2 := rfl
example : 1 = 2 := by decide
example : 1 = 2 := by simp
example : 10 / 3 = 4 := rfl
example : 10 % 3 = 2 := by decide
example : 2 ^ 3 = 9 := by decide
example : 3 - 5 = 1 := by decide
example : 3 < 3 := by decide
example : ¬2 ≤ 3 := by simp
example : "a" = "b" := rfl
example : "ab" = "ba" := by simp
example : "a" ++ "b" = "ba" := rfl
example : 'a' = 'b' := rfl
example : [1, 2].length = 3 := rfl
example : true = false := by decide
example : (if 1 = 2 then 3 else 4) = 3 := rfl
example : some 1 = none := rfl
example (p : Prop) : p := by simp
example (p q : Prop) : p ∨ q → p := by
  intro h
  cases h with
  | inl h => exact h
  | inr h => exact h
example : False := by exact?
