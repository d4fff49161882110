/-! What this core does not have. When one of these starts to work, the README has to say so. -/

def collatz (n : Nat) : Nat := if n ≤ 1 then 0 else collatz (n / 2)
termination_by n

example (a b : Nat) (h : a < b) : ¬b ≤ a := by omega
example (a b : Nat) : a + b = b + a := by grind
example (a b : Nat) : a + b = b + a := by conv => rw [Nat.add_comm]
#reduce 1 + 1
#eval (IO.println "hello" : IO Unit)
#eval (1.5 : Float)
#eval #[1, 2]
#eval s!"{1}"
