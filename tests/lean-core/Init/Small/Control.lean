prelude
import Init.Small.Collections

/-!
# Coercions and monads

The classes behind `↑x`, `pure` and `bind`, and the two monads that macros run in. The order of the
fields is the layout in memory of compiled instances, so it has to agree with the binary.
-/

set_option linter.unusedVariables false
set_option linter.defProp false
universe u v w

/-! ## Coercions -/

/-- `Coe α β`: where a `β` is expected, an `α` will do. May be chained. -/
class Coe (α : semiOutParam (Sort u)) (β : Sort v) where
  coe : α → β
/-- A chain of `Coe`. -/
class CoeTC (α : Sort u) (β : Sort v) where
  coe : α → β
/-- Chained from the source type outwards. -/
class CoeOut (α : Sort u) (β : semiOutParam (Sort v)) where
  coe : α → β
/-- Only at the end of a chain. -/
class CoeTail (α : semiOutParam (Sort u)) (β : Sort v) where
  coe : α → β
/-- Only at the start of a chain. -/
class CoeHead (α : Sort u) (β : semiOutParam (Sort v)) where
  coe : α → β
/-- Depends on the value that is converted. -/
class CoeDep (α : Sort u) (_ : α) (β : Sort v) where
  coe : β
/-- Any of the above: what the elaborator looks for. -/
class CoeT (α : Sort u) (_ : α) (β : Sort v) where
  coe : β
/-- Values that can be applied like functions. -/
class CoeFun (α : Sort u) (γ : outParam (α → Sort v)) where
  coe : (f : α) → γ f
/-- Values that can be used as types. -/
class CoeSort (α : Sort u) (β : outParam (Sort v)) where
  coe : α → β
attribute [coe_decl] Coe.coe CoeTC.coe CoeOut.coe CoeTail.coe CoeHead.coe CoeDep.coe CoeT.coe CoeFun.coe CoeSort.coe

instance [Coe β γ] [CoeTC α β] : CoeTC α γ where coe a := Coe.coe (CoeTC.coe a : β)
instance [Coe α β] : CoeTC α β where coe a := Coe.coe a
instance [CoeOut α β] [CoeTC β γ] : CoeTC α γ where coe a := CoeTC.coe (CoeOut.coe a : β)
instance [CoeOut α β] : CoeTC α β where coe a := CoeOut.coe a
instance [CoeTC α β] : CoeT α a β where coe := CoeTC.coe a
instance [CoeTail α β] : CoeT α a β where coe := CoeTail.coe a
instance [CoeHead α β] : CoeT α a β where coe := CoeHead.coe a
instance [CoeDep α a β] : CoeT α a β where coe := CoeDep.coe a
instance boolToProp : Coe Bool Prop where coe b := Eq b true
instance boolToSort : CoeSort Bool Prop where coe b := Eq b true

/-! ## From functors to monads -/

class Functor (f : Type u → Type v) : Type (max (u+1) v) where
  map : {α β : Type u} → (α → β) → f α → f β
  mapConst : {α β : Type u} → α → f β → f α := Function.comp map (fun a _ => a)

class Pure (f : Type u → Type v) where
  pure {α : Type u} : α → f α
export Pure (pure)

class Seq (f : Type u → Type v) where
  seq : {α β : Type u} → f (α → β) → (Unit → f α) → f β
class SeqLeft (f : Type u → Type v) where
  seqLeft : {α β : Type u} → f α → (Unit → f β) → f α
class SeqRight (f : Type u → Type v) where
  seqRight : {α β : Type u} → f α → (Unit → f β) → f β

class Bind (m : Type u → Type v) where
  bind : {α β : Type u} → m α → (α → m β) → m β
export Bind (bind)

class Applicative (f : Type u → Type v) extends Functor f, Pure f, Seq f, SeqLeft f, SeqRight f where
  map := fun x y => Seq.seq (pure x) fun _ => y
  seqLeft := fun a b => Seq.seq (Functor.map (fun x _ => x) a) b
  seqRight := fun a b => Seq.seq (Functor.map (fun _ y => y) a) b

class Monad (m : Type u → Type v) extends Applicative m, Bind m where
  map f x := bind x (fun a => pure (f a))
  seq f x := bind f fun y => Functor.map y (x ⟨⟩)
  seqLeft x y := bind x fun a => bind (y ⟨⟩) (fun _ => pure a)
  seqRight x y := bind x fun _ => y ⟨⟩

/-! ## Lifting and errors -/

class MonadLift (m : semiOutParam (Type u → Type v)) (n : Type u → Type w) where
  monadLift : {α : Type u} → m α → n α
class MonadLiftT (m : Type u → Type v) (n : Type u → Type w) where
  monadLift : {α : Type u} → m α → n α
export MonadLiftT (monadLift)
instance (m n o) [MonadLift n o] [MonadLiftT m n] : MonadLiftT m o where
  monadLift x := MonadLift.monadLift (m := n) (monadLift x)
instance (m) : MonadLiftT m m where monadLift x := x

class MonadExceptOf (ε : semiOutParam (Type u)) (m : Type v → Type w) where
  throw {α : Type v} : ε → m α
  tryCatch {α : Type v} (body : m α) (handler : ε → m α) : m α
class MonadExcept (ε : outParam (Type u)) (m : Type v → Type w) where
  throw {α : Type v} : ε → m α
  tryCatch {α : Type v} : m α → (ε → m α) → m α
export MonadExcept (throw tryCatch)
instance (ε : Type u) (m : Type v → Type w) [MonadExceptOf ε m] : MonadExcept ε m :=
  ⟨MonadExceptOf.throw, MonadExceptOf.tryCatch⟩

/-- A value or an error. -/
inductive Except (ε : Type u) (α : Type v) where
  | error : ε → Except ε α
  | ok : α → Except ε α

/-! ## Monads -/

/-- The monad that adds nothing. -/
def Id (α : Type u) : Type u := α
instance : Monad Id where
  pure x := x
  bind x f := f x
  map f x := f x

instance Small.monadOption : Monad Option where
  pure := some
  bind x f := match x with
    | some a => f a
    | none => none

/-- `m` with a value to read. -/
def ReaderT (ρ : Type u) (m : Type u → Type v) (α : Type u) : Type (max u v) := ρ → m α
@[always_inline] instance {m : Type u → Type v} [Monad m] : Monad (ReaderT ρ m) where
  pure a := fun _ => pure a
  bind x f := fun r => bind (x r) (fun a => f a r)
  map f x := fun r => Functor.map f (x r)
instance {m : Type u → Type v} : MonadLift m (ReaderT ρ m) := ⟨fun x _ => x⟩
instance (ρ m ε) [MonadExceptOf ε m] : MonadExceptOf ε (ReaderT ρ m) where
  throw e := fun _ => MonadExceptOf.throw e
  tryCatch x c := fun r => MonadExceptOf.tryCatch (x r) (fun e => (c e) r)

namespace EStateM
inductive Result (ε σ α : Type u) where
  | ok : α → σ → Result ε σ α
  | error : ε → σ → Result ε σ α
end EStateM

/-- State and errors at once. -/
def EStateM (ε σ α : Type u) := σ → EStateM.Result ε σ α

namespace EStateM
instance [Inhabited ε] : Inhabited (EStateM ε σ α) := ⟨fun s => .error default s⟩
@[always_inline] instance : Monad (EStateM ε σ) where
  pure a := fun s => .ok a s
  bind x f := fun s => match x s with
    | .ok a s => f a s
    | .error e s => .error e s
  map f x := fun s => match x s with
    | .ok a s => .ok (f a) s
    | .error e s => .error e s
instance : MonadExceptOf ε (EStateM ε σ) where
  throw e := fun s => .error e s
  tryCatch x h := fun s => match x s with
    | .ok a s => .ok a s
    | .error e s => h e s
end EStateM

@[inline] unsafe def unsafeCast {α : Sort u} {β : Sort v} (a : α) : β :=
  PLift.down (ULift.down.{max u v} (cast lcProof (ULift.up.{max u v} (PLift.up a))))
