prelude
import Init.Small.Operators

/-!
# Natural numbers

Arithmetic, equality and order of `Nat`, down to the two instances that let `decide` work with them.

The functions have recursive definitions, so that proofs can compute, and run as big-number code
through `extern`. `genMatcherCode` is off for them because code for a match on `Nat` needs these very
functions. Lemmas for `simp` and `rw` come later, in `Init.Small.Lemmas`, once there is notation.
-/

set_option linter.unusedVariables false
universe u

/-! ## Arithmetic -/

instance : Inhabited Nat := ⟨.zero⟩

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_add", match_pattern] protected def Nat.add : @& Nat → @& Nat → Nat
  | n, .zero => n
  | n, .succ m => .succ (Nat.add n m)

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_mul"] protected def Nat.mul : @& Nat → @& Nat → Nat
  | _, .zero => 0
  | n, .succ m => Nat.add (Nat.mul n m) n

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_pow"] protected def Nat.pow (m : @& Nat) : @& Nat → Nat
  | .zero => 1
  | .succ n => Nat.mul (Nat.pow m n) m

set_option bootstrap.genMatcherCode false in
/-- The number before, and `0` for `0`. -/
@[extern "lean_nat_pred"] def Nat.pred : @& Nat → Nat
  | .zero => .zero
  | .succ n => n

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_sub"] protected def Nat.sub : @& Nat → @& Nat → Nat
  | n, .zero => n
  | n, .succ m => Nat.pred (Nat.sub n m)

-- Defined by well-founded recursion in a full library. The kernel and the evaluator know them by
-- name and compute them on literals, which is all that this core promises.
@[extern "lean_nat_div"] protected opaque Nat.div (n m : @& Nat) : Nat
@[extern "lean_nat_mod"] protected opaque Nat.mod (n m : @& Nat) : Nat

instance instAddNat : Add Nat := ⟨Nat.add⟩
instance instMulNat : Mul Nat := ⟨Nat.mul⟩
instance instSubNat : Sub Nat := ⟨Nat.sub⟩
instance instDivNat : Div Nat := ⟨Nat.div⟩
instance instModNat : Mod Nat := ⟨Nat.mod⟩
instance instNatPowNat : NatPow Nat := ⟨Nat.pow⟩

/-! ## Equality -/

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_dec_eq"] def Nat.beq : @& Nat → @& Nat → Bool
  | .zero, .zero => true
  | .succ n, .succ m => Nat.beq n m
  | _, _ => false

theorem Nat.eq_of_beq_eq_true : {n m : Nat} → Eq (Nat.beq n m) true → Eq n m
  | .zero, .zero, _ => rfl
  | .zero, .succ _, h => Bool.noConfusion h
  | .succ _, .zero, h => Bool.noConfusion h
  | .succ _, .succ _, h => congrArg Nat.succ (eq_of_beq_eq_true h)

theorem Nat.beq_refl : (n : Nat) → Eq (Nat.beq n n) true
  | .zero => rfl
  | .succ n => beq_refl n

theorem Nat.ne_of_beq_eq_false {n m : Nat} (h : Eq (Nat.beq n m) false) : Not (Eq n m) := fun same =>
  have isTrue : Eq (Nat.beq n m) true :=
    Eq.ndrec (motive := fun k => Eq (Nat.beq n k) true) (Nat.beq_refl n) same
  Bool.noConfusion (Eq.trans h.symm isTrue)

@[extern "lean_nat_dec_eq"] protected def Nat.decEq (n m : @& Nat) : Decidable (Eq n m) :=
  match h : Nat.beq n m with
  | true => isTrue (eq_of_beq_eq_true h)
  | false => isFalse (ne_of_beq_eq_false h)
instance instDecidableEqNat : DecidableEq Nat := Nat.decEq

/-- Values with different constructor indices are different; `injection` and `cases` use it. -/
theorem noConfusion_of_Nat {α : Sort u} (f : α → Nat) {a b : α} (h : Eq a b) :
    Bool.rec (motive := fun _ => Prop) False True (Nat.beq (f a) (f b)) :=
  have same : Eq (Nat.beq (f a) (f b)) true := h.rec (Nat.beq_refl (f a))
  Eq.ndrec (a := true) (motive := Bool.rec (motive := fun _ => Prop) False True) True.intro same.symm

/-! ## Order -/

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_dec_le"] def Nat.ble : @& Nat → @& Nat → Bool
  | .zero, _ => true
  | .succ _, .zero => false
  | .succ n, .succ m => Nat.ble n m

/-- `n ≤ m`: counting up from `n` reaches `m`. -/
protected inductive Nat.le (n : Nat) : Nat → Prop
  | refl : Nat.le n n
  | step {m} : Nat.le n m → Nat.le n (.succ m)

protected def Nat.lt (n m : Nat) : Prop := Nat.le (.succ n) m
instance instLENat : LE Nat := ⟨Nat.le⟩
instance instLTNat : LT Nat := ⟨Nat.lt⟩

-- With `Nat.decEq` and `Nat.ble` in place, the constructor indices that were put off can be made.
attribute [gen_constructor_elims] Nat Bool Option List Sum PSum Decidable

theorem Nat.zero_le : (n : Nat) → LE.le 0 n
  | .zero => .refl
  | .succ n => .step (zero_le n)
theorem Nat.succ_le_succ {n m : Nat} (h : LE.le n m) : LE.le (Nat.succ n) (Nat.succ m) :=
  h.rec .refl (fun _ ih => .step ih)
theorem Nat.le_trans {a b c : Nat} (h : LE.le a b) (h' : LE.le b c) : LE.le a c :=
  h'.rec h (fun _ ih => .step ih)
theorem Nat.le_succ (n : Nat) : LE.le n (Nat.succ n) := .step .refl

theorem Nat.pred_le_pred {n m : Nat} (h : LE.le n m) : LE.le (Nat.pred n) (Nat.pred m) :=
  h.rec .refl (fun {m} _ ih => match m, ih with
    | .zero, ih => ih
    | .succ m, ih => .step ih)
theorem Nat.le_of_succ_le_succ {n m : Nat} (h : LE.le (Nat.succ n) (Nat.succ m)) : LE.le n m :=
  pred_le_pred h

theorem Nat.not_succ_le_zero (n : Nat) (h : LE.le (Nat.succ n) 0) : False :=
  have bound : (m : Nat) → LE.le (Nat.succ n) m → Eq m 0 → False := fun _ h => match h with
    | .refl => fun e => Nat.noConfusion e
    | .step _ => fun e => Nat.noConfusion e
  bound 0 h rfl

/-! ## Deciding the order -/

theorem Nat.le_of_ble_eq_true : {n m : Nat} → Eq (Nat.ble n m) true → LE.le n m
  | .zero, _, _ => zero_le _
  | .succ _, .zero, h => Bool.noConfusion h
  | .succ _, .succ _, h => succ_le_succ (le_of_ble_eq_true h)

theorem Nat.ble_eq_true_of_le : {n m : Nat} → LE.le n m → Eq (Nat.ble n m) true
  | .zero, m, _ => match m with
    | .zero => rfl
    | .succ _ => rfl
  | .succ n, .zero, h => (not_succ_le_zero n h).elim
  | .succ n, .succ m, h => ble_eq_true_of_le (n := n) (m := m) (le_of_succ_le_succ h)

@[extern "lean_nat_dec_le"] instance Nat.decLe (n m : @& Nat) : Decidable (LE.le n m) :=
  match h : Nat.ble n m with
  | true => isTrue (le_of_ble_eq_true h)
  | false => isFalse fun h' => Bool.noConfusion (Eq.trans h.symm (ble_eq_true_of_le h'))

@[extern "lean_nat_dec_lt"] instance Nat.decLt (n m : @& Nat) : Decidable (LT.lt n m) :=
  decLe (.succ n) m
