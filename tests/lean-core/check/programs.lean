/-! Definitions, classes and what `#eval`, `#check` and `#print` say about them. -/

namespace Programs

/-- A point. -/
structure Point where
  x : Nat
  y : Nat := 0
deriving Repr, DecidableEq

inductive Tree (α : Type) where
  | leaf
  | node (left : Tree α) (value : α) (right : Tree α)
deriving Repr

def Tree.size : Tree α → Nat
  | leaf => 0
  | node l _ r => l.size + 1 + r.size

inductive Light | red | green
deriving Repr, DecidableEq, Inhabited, BEq

class Shape (α : Type) where
  area : α → Nat
instance : Shape Point := ⟨fun p => p.x * p.y⟩
instance : Add Point := ⟨fun p q => ⟨p.x + q.x, p.y + q.y⟩⟩

def factorial : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * factorial n

mutual
def even : Nat → Bool
  | 0 => true
  | n + 1 => odd n
def odd : Nat → Bool
  | 0 => false
  | n + 1 => even n
end

partial def halvings (n : Nat) : Nat := if n ≤ 1 then 0 else 1 + halvings (n / 2)

def half (n : Nat) : Option Nat := do
  let mut result := n / 2
  if n % 2 != 0 then
    failure
  result := result + 0
  return result
where failure := none

#eval ({ x := 1 } : Point)
#eval (⟨1, 2⟩ : Point) + ⟨3, 4⟩
#eval Shape.area (Point.mk 3 4)
#eval (⟨1, 2⟩ : Point) == ⟨1, 2⟩
#eval (Tree.node .leaf 7 .leaf).size
#eval Tree.node .leaf 7 .leaf
#eval [Light.red, default, .green]
#eval Light.red == .green
#eval factorial 20
#eval even 10
#eval halvings 1000
#eval half 8
#eval half 7
#eval "a" ++ "b"
#eval ("β😀").length
#eval 'c'
#eval [1, 2, 3].map (· + 1)
#eval (1, "one")
#eval some ([] : List Nat)
#eval if 2 < 3 ∧ ¬1 = 2 then "yes" else "no"
#eval dbgSleep 1 fun _ => 3
#check @Tree.size
#check fun (a b : Nat) => a <= b
#check ∃ x y : Nat, x = y
#check fun (p q : Prop) => p <-> q /\ ¬q
#print Point
#print axioms Nat.mul_comm

end Programs
