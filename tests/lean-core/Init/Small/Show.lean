prelude
import Init.Small.Lemmas

/-!
# Values as text

`ToString`, `Repr` and the documents (`Std.Format`) that `#eval` prints. `Format` is built here and
laid out by the binary, so its constructors follow the binary's order.
-/

universe u

/-! ## Plain text -/

/-- The decimal digit for a number below ten. -/
def Nat.digitStr (n : Nat) : String :=
  (["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]).getD n "?"

-- `fuel` makes the recursion structural; a number has fewer digits than its own value plus one.
def Nat.digitsAux : (fuel n : Nat) → (acc : String) → String
  | 0, _, acc => acc
  | fuel + 1, n, acc =>
    if n / 10 = 0 then Nat.digitStr n ++ acc else digitsAux fuel (n / 10) (Nat.digitStr (n % 10) ++ acc)

/-- The decimal digits of a number. -/
def Nat.repr (n : Nat) : String := Nat.digitsAux (n + 1) n ""

/-- Types whose values have a plain text form. -/
class ToString (α : Type u) where
  toString : α → String
export ToString (toString)
instance : ToString String := ⟨fun s => s⟩
instance : ToString Nat := ⟨Nat.repr⟩
instance : ToString Bool := ⟨fun b => cond b "true" "false"⟩
instance : ToString Unit := ⟨fun _ => "()"⟩

def List.toStringAux [ToString α] : List α → String
  | [] => ""
  | a :: as => ", " ++ toString a ++ toStringAux as
instance [ToString α] : ToString (List α) := ⟨fun
  | [] => "[]"
  | a :: as => "[" ++ toString a ++ as.toStringAux ++ "]"⟩

/-! ## Documents -/

namespace Std
inductive Format.FlattenBehavior where
  | allOrNone
  | fill

/-- Text with places where lines may be broken. -/
inductive Format where
  | nil : Format
  | line : Format
  | align (force : Bool) : Format
  | text : String → Format
  | nest (indent : Int) (f : Format) : Format
  | append : Format → Format → Format
  | group : Format → (behavior : Format.FlattenBehavior := .allOrNone) → Format
  | tag : Nat → Format → Format
instance : Inhabited Format := ⟨.nil⟩
instance : Append Format := ⟨.append⟩
instance : Coe String Format := ⟨.text⟩
@[extern "native"] opaque Format.bracket (l : String) (x : Format) (r : String) : Format
@[extern "native"] opaque Format.paren (f : Format) : Format
end Std
open Std

/-! ## Values as Lean source -/

/-- Types whose values can be shown as Lean would read them. `deriving Repr` makes instances. -/
class Repr (α : Type u) where
  reprPrec : α → Nat → Format
export Repr (reprPrec)
abbrev repr [Repr α] (a : α) : Format := reprPrec a 0
abbrev reprArg [Repr α] (a : α) : Format := reprPrec a 1024

@[extern "native"] opaque String.quote (s : String) : String
@[extern "native"] opaque Char.quote (c : Char) : String
@[extern "native"] opaque Repr.addAppParen (f : Format) (prec : @& Nat) : Format

instance : Repr Nat := ⟨fun n _ => .text n.repr⟩
instance : Repr String := ⟨fun s _ => .text s.quote⟩
instance : Repr Bool := ⟨fun b _ => .text (toString b)⟩
instance : Repr Unit := ⟨fun _ _ => .text "()"⟩
instance : Repr Char := ⟨fun c _ => .text c.quote⟩
instance Small.reprPair [Repr α] [Repr β] : Repr (α × β) :=
  ⟨fun p _ => .text "(" ++ reprPrec p.1 0 ++ .text ", " ++ reprPrec p.2 0 ++ .text ")"⟩

def List.reprAux [Repr α] : List α → Format
  | [] => .nil
  | a :: as => .text ", " ++ reprPrec a 0 ++ as.reprAux
instance [Repr α] : Repr (List α) := ⟨fun l _ => match l with
  | [] => .text "[]"
  | a :: as => .text "[" ++ reprPrec a 0 ++ as.reprAux ++ .text "]"⟩
instance [Repr α] : Repr (Option α) := ⟨fun
  | none, _ => .text "none"
  | some a, _ => .text "some " ++ reprArg a⟩
