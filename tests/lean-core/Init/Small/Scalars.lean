prelude
import Init.Small.Nat

/-!
# Machine words, characters, integers

The types that compiled Lean keeps in registers. Names and layouts are those that the binary was
compiled for; of the functions there are only the few that literals, characters and hashes need.
-/

set_option linter.unusedVariables false

/-! ## Bounded numbers -/

/-- A number below `n`. -/
structure Fin (n : Nat) where
  mk ::
  val : Nat
  isLt : LT.lt val n

/-- A number of `w` bits. -/
structure BitVec (w : Nat) where
  ofFin ::
  toFin : Fin (HPow.hPow 2 w)

/-! ## Machine words -/

def UInt8.size : Nat := 256
def UInt16.size : Nat := 65536
def UInt32.size : Nat := 4294967296
def UInt64.size : Nat := 18446744073709551616

structure UInt8 where
  ofBitVec ::
  toBitVec : BitVec 8
structure UInt16 where
  ofBitVec ::
  toBitVec : BitVec 16
structure UInt32 where
  ofBitVec ::
  toBitVec : BitVec 32
structure UInt64 where
  ofBitVec ::
  toBitVec : BitVec 64

opaque System.Platform.numBits : Nat := 64
structure USize where
  ofBitVec ::
  toBitVec : BitVec System.Platform.numBits
structure Float where val : UInt64
structure Float32 where val : UInt32

@[extern "lean_uint8_of_nat"] def UInt8.ofNatLT (n : @& Nat) (h : LT.lt n UInt8.size) : UInt8 := ⟨⟨⟨n, h⟩⟩⟩
@[extern "lean_uint32_of_nat"] def UInt32.ofNatLT (n : @& Nat) (h : LT.lt n UInt32.size) : UInt32 := ⟨⟨⟨n, h⟩⟩⟩
@[extern "lean_uint64_of_nat"] def UInt64.ofNatLT (n : @& Nat) (h : LT.lt n UInt64.size) : UInt64 := ⟨⟨⟨n, h⟩⟩⟩
@[extern "lean_uint32_to_nat"] def UInt32.toNat (n : UInt32) : Nat := n.toBitVec.toFin.val
@[extern "lean_uint64_to_nat"] def UInt64.toNat (n : UInt64) : Nat := n.toBitVec.toFin.val

instance : Inhabited UInt64 := ⟨UInt64.ofNatLT 0 (of_decide_eq_true rfl)⟩
instance : Inhabited UInt32 := ⟨UInt32.ofNatLT 0 (of_decide_eq_true rfl)⟩
instance : Inhabited UInt8 := ⟨UInt8.ofNatLT 0 (of_decide_eq_true rfl)⟩

@[extern "lean_uint32_of_nat"] opaque UInt32.ofNat (n : @& Nat) : UInt32
instance : OfNat UInt32 n := ⟨UInt32.ofNat n⟩
@[extern "lean_uint64_mix_hash"] opaque mixHash (a b : UInt64) : UInt64

/-! ## Characters -/

/-- Below the end of Unicode. (A full library also rules out surrogates.) -/
abbrev UInt32.isValidChar (n : UInt32) : Prop := LT.lt n.toNat 1114112

/-- A Unicode character. -/
structure Char where
  val : UInt32
  valid : val.isValidChar

@[extern "lean_uint32_of_nat"] def Char.ofNatAux (n : @& Nat) (h : LT.lt n 1114112) : Char :=
  ⟨⟨⟨⟨n, Nat.le_trans h (of_decide_eq_true rfl)⟩⟩⟩, h⟩

/-- The character with the number `n`; what is no character becomes number 0. -/
@[noinline] def Char.ofNat (n : Nat) : Char :=
  dite (LT.lt n 1114112) (fun h => Char.ofNatAux n h) (fun _ => Char.ofNatAux 0 (of_decide_eq_true rfl))
def Char.toNat (c : Char) : Nat := c.val.toNat
instance Char.instInhabited : Inhabited Char := ⟨Char.ofNat 65⟩

/-! ## Integers -/

set_option genCtorIdx false in -- it would need integer comparison
/-- The integers: `negSucc n` is `-(n + 1)`. -/
inductive Int : Type where
  | ofNat : Nat → Int
  | negSucc : Nat → Int
attribute [extern "lean_nat_to_int"] Int.ofNat
attribute [extern "lean_int_neg_succ_of_nat"] Int.negSucc
instance : Inhabited Int := ⟨.ofNat 0⟩
instance : OfNat Int n := ⟨.ofNat n⟩
