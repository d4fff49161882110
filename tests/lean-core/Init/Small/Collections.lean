prelude
import Init.Small.Scalars

/-!
# Lists, arrays, strings

Lists are ordinary data. Arrays, byte arrays and strings are objects of the runtime: each has a plain
definition that the logic sees, and an `extern` that the evaluator runs instead.
-/

set_option linter.unusedVariables false
universe u v

/-! ## Lists and options -/

set_option bootstrap.genMatcherCode false in
/-- The number of elements. -/
def List.length : List α → Nat
  | nil => 0
  | cons _ as => HAdd.hAdd (length as) 1

/-- `as ++ bs`. -/
def List.append : List α → List α → List α
  | nil, bs => bs
  | cons a as, bs => cons a (append as bs)
instance : Append (List α) := ⟨List.append⟩

/-- `f` of every element. -/
def List.map (f : α → β) : List α → List β
  | nil => nil
  | cons a as => cons (f a) (map f as)

/-- Folds from the left, starting with `init`. -/
def List.foldl {α : Type u} {β : Type v} (f : α → β → α) : (init : α) → List β → α
  | a, nil => a
  | a, cons b l => foldl f (f a b) l

/-- The element at a place counted from zero, or the given value past the end. -/
def List.getD : List α → Nat → α → α
  | nil, _, d => d
  | cons a _, .zero, _ => a
  | cons _ as, .succ n, d => getD as n d

/-- The element at a place counted from zero, or the default value past the end. -/
def List.get!Internal {α : Type u} [Inhabited α] : List α → Nat → α
  | nil, _ => default
  | cons a _, .zero => a
  | cons _ as, .succ n => get!Internal as n

/-- The value, or `d` if there is none. -/
def Option.getD : Option α → (d : α) → α
  | some a, _ => a
  | none, d => d

/-- `f` of the value, if there is one. -/
@[inline] def Option.map (f : α → β) : Option α → Option β
  | some a => some (f a)
  | none => none

/-! ## Arrays -/

/-- A sequence in one block of memory. -/
structure Array (α : Type u) where
  mk ::
  toList : List α
attribute [extern "lean_array_to_list"] Array.toList
attribute [extern "lean_array_mk"] Array.mk

@[extern "lean_mk_empty_array_with_capacity"]
def Array.mkEmpty {α : Type u} (c : @& Nat) : Array α := ⟨.nil⟩
@[extern "lean_mk_empty_array_with_capacity"]
def Array.emptyWithCapacity {α : Type u} (c : @& Nat) : Array α := ⟨.nil⟩
def Array.empty {α : Type u} : Array α := mkEmpty 0

@[extern "lean_array_get_size"] def Array.size {α : Type u} (a : @& Array α) : Nat := a.toList.length
@[extern "lean_array_push"] def Array.push {α : Type u} (a : Array α) (v : α) : Array α :=
  ⟨a.toList.append (.cons v .nil)⟩
@[extern "lean_array_get"]
def Array.get!Internal {α : Type u} [Inhabited α] (a : @& Array α) (i : @& Nat) : α := a.toList.getD i default
@[extern "lean_array_get_borrowed"]
unsafe opaque Array.get!InternalBorrowed {α : Type u} [Inhabited α] (a : @& Array α) (i : @& Nat) : α

def Array.getD (a : Array α) (i : Nat) (d : α) : α := ite (LT.lt i a.size) (@Array.get!Internal α ⟨d⟩ a i) d
@[inline] def List.toArray (l : List α) : Array α := l.foldl Array.push (Array.mkEmpty 0)
def Array.append (as : Array α) (bs : Array α) : Array α := bs.toList.foldl Array.push as
instance : Append (Array α) := ⟨Array.append⟩
instance : Inhabited (Array α) := ⟨Array.empty⟩

/-! What quotations expand to when they build a node with a fixed number of children. -/

def Array.mkArray0 {α : Type u} : Array α := mkEmpty 0
def Array.mkArray1 {α : Type u} (a₁ : α) : Array α := (mkEmpty 1).push a₁
def Array.mkArray2 {α : Type u} (a₁ a₂ : α) : Array α := ((mkEmpty 2).push a₁).push a₂
def Array.mkArray3 {α : Type u} (a₁ a₂ a₃ : α) : Array α := (mkArray2 a₁ a₂).push a₃
def Array.mkArray4 {α : Type u} (a₁ a₂ a₃ a₄ : α) : Array α := (mkArray3 a₁ a₂ a₃).push a₄
def Array.mkArray5 {α : Type u} (a₁ a₂ a₃ a₄ a₅ : α) : Array α := (mkArray4 a₁ a₂ a₃ a₄).push a₅
def Array.mkArray6 {α : Type u} (a₁ a₂ a₃ a₄ a₅ a₆ : α) : Array α := (mkArray5 a₁ a₂ a₃ a₄ a₅).push a₆
def Array.mkArray7 {α : Type u} (a₁ a₂ a₃ a₄ a₅ a₆ a₇ : α) : Array α :=
  (mkArray6 a₁ a₂ a₃ a₄ a₅ a₆).push a₇
def Array.mkArray8 {α : Type u} (a₁ a₂ a₃ a₄ a₅ a₆ a₇ a₈ : α) : Array α :=
  (mkArray7 a₁ a₂ a₃ a₄ a₅ a₆ a₇).push a₈

structure ByteArray where
  mk ::
  data : Array UInt8
attribute [extern "lean_byte_array_mk"] ByteArray.mk
attribute [extern "lean_byte_array_data"] ByteArray.data

structure FloatArray where
  mk ::
  data : Array Float

/-! ## Strings -/

/-- Text, kept as UTF-8. (That it is UTF-8 is not part of this core's logic, hence `True`.) -/
structure String where
  ofByteArray ::
  toByteArray : ByteArray
  isValidUTF8 : True
attribute [extern "lean_string_to_utf8"] String.toByteArray
attribute [extern "lean_string_from_utf8_unchecked"] String.ofByteArray

instance : Inhabited String := ⟨⟨⟨.empty⟩, ⟨⟩⟩⟩

-- Opaque, so that two literals are equal to the kernel only when they are the same text.
@[extern "lean_string_mk"] opaque String.ofList (l : List Char) : String
axiom String.ofList_injective {l₁ l₂ : List Char} : Eq (String.ofList l₁) (String.ofList l₂) → Eq l₁ l₂

/-- `a ++ b`. -/
@[extern "lean_string_append"] def String.append (a : String) (b : @& String) : String :=
  ⟨⟨a.toByteArray.data.append b.toByteArray.data⟩, ⟨⟩⟩
instance : Append String := ⟨String.append⟩

@[extern "lean_string_utf8_byte_size"] def String.utf8ByteSize (s : @& String) : Nat :=
  s.toByteArray.data.size
@[extern "lean_string_length"] opaque String.length (s : @& String) : Nat
@[extern "lean_string_hash"] opaque String.hash (s : @& String) : UInt64

-- The logic takes it on trust that strings can be compared; the runtime does it.
axiom String.decEqAux (a b : String) : Decidable (Eq a b)
@[extern "lean_string_dec_eq"] def String.decEq (a b : @& String) : Decidable (Eq a b) := String.decEqAux a b
instance : DecidableEq String := String.decEq
