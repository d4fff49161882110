prelude
import Init.Small.Decidable

/-!
# Operators

One class per operator. The classes that start with `H` take two operand types and give a third; the
short ones (`Add`, `Mul`, …) are what a type implements, and a default instance leads from one to the
other. `Init.Small.Notation` ties the symbols to the `H` classes.
-/

universe u v w

/-! ## Literals, comparison -/

/-- Types that have the literal `n`. -/
class OfNat (α : Type u) (_ : Nat) where
  ofNat : α

/-- `a == b`, as a truth value. -/
class BEq (α : Type u) where beq : α → α → Bool
/-- `a != b`. -/
@[reducible] def bne {α : Type u} [BEq α] (a b : α) : Bool := Bool.not (BEq.beq a b)
class LE (α : Type u) where le : α → α → Prop
class LT (α : Type u) where lt : α → α → Prop
@[reducible] def GE.ge [LE α] (a b : α) : Prop := LE.le b a
@[reducible] def GT.gt [LT α] (a b : α) : Prop := LT.lt b a

@[default_instance 100] instance instOfNatNat (n : Nat) : OfNat Nat n where ofNat := n
instance instBEqOfDecidableEq {α : Type u} [DecidableEq α] : BEq α where beq a b := decide (Eq a b)

/-! ## Arithmetic and concatenation -/

class HAdd (α : Type u) (β : Type v) (γ : outParam (Type w)) where hAdd : α → β → γ
class HSub (α : Type u) (β : Type v) (γ : outParam (Type w)) where hSub : α → β → γ
class HMul (α : Type u) (β : Type v) (γ : outParam (Type w)) where hMul : α → β → γ
class HDiv (α : Type u) (β : Type v) (γ : outParam (Type w)) where hDiv : α → β → γ
class HMod (α : Type u) (β : Type v) (γ : outParam (Type w)) where hMod : α → β → γ
class HPow (α : Type u) (β : Type v) (γ : outParam (Type w)) where hPow : α → β → γ
class HAppend (α : Type u) (β : Type v) (γ : outParam (Type w)) where hAppend : α → β → γ
class HOrElse (α : Type u) (β : Type v) (γ : outParam (Type w)) where hOrElse : α → (Unit → β) → γ

class Add (α : Type u) where add : α → α → α
class Sub (α : Type u) where sub : α → α → α
class Mul (α : Type u) where mul : α → α → α
class Div (α : Type u) where div : α → α → α
class Mod (α : Type u) where mod : α → α → α
class Pow (α : Type u) (β : Type v) where pow : α → β → α
class NatPow (α : Type u) where pow : α → Nat → α
class Append (α : Type u) where append : α → α → α

@[default_instance] instance instHAdd [Add α] : HAdd α α α where hAdd a b := Add.add a b
@[default_instance] instance instHSub [Sub α] : HSub α α α where hSub a b := Sub.sub a b
@[default_instance] instance instHMul [Mul α] : HMul α α α where hMul a b := Mul.mul a b
@[default_instance] instance instHDiv [Div α] : HDiv α α α where hDiv a b := Div.div a b
@[default_instance] instance instHMod [Mod α] : HMod α α α where hMod a b := Mod.mod a b
@[default_instance] instance instHPow [Pow α β] : HPow α β α where hPow a b := Pow.pow a b
@[default_instance] instance instPowNat [NatPow α] : Pow α Nat where pow a n := NatPow.pow a n
@[default_instance] instance instHAppendOfAppend [Append α] : HAppend α α α where
  hAppend a b := Append.append a b

-- So that `n + 1` may stand on the left of `=>`.
attribute [match_pattern] Add.add HAdd.hAdd
