prelude
import Init.Small.Syntax

/-!
# Quotations and macros

What syntax quotations (`` `(…) ``) and `macro_rules` expand to, and the monads in which macros and
unexpanders run.

`@[extern "native"] opaque f` has no definition here on purpose: the evaluator prefers compiled code,
and finds it in the Lean library under the same name. Only the type has to agree. See the README of
this folder before adding one: a wrong type is not noticed, it gives wrong answers.
-/

set_option linter.unusedVariables false
universe u

namespace Lean
/-! ## Taking syntax apart -/

@[extern "native"] opaque SourceInfo.fromRef (ref : @& Syntax) (canonical : Bool := false) : SourceInfo
@[extern "native"] opaque Syntax.isOfKind (stx : @& Syntax) (k : @& SyntaxNodeKind) : Bool
@[extern "native"] opaque Syntax.getArg (stx : @& Syntax) (i : @& Nat) : Syntax
@[extern "native"] opaque Syntax.getArgs (stx : @& Syntax) : Array Syntax
@[extern "native"] opaque Syntax.getNumArgs (stx : @& Syntax) : Nat
@[extern "native"] opaque Syntax.matchesNull (stx : @& Syntax) (n : @& Nat) : Bool
@[extern "native"] opaque Syntax.matchesIdent (stx : @& Syntax) (id : @& Name) : Bool
@[extern "native"] opaque Syntax.matchesLit (stx : @& Syntax) (k : @& SyntaxNodeKind) (val : @& String) : Bool
@[extern "native"] opaque Syntax.getId (stx : @& Syntax) : Name
@[extern "native"] opaque Syntax.isNone (stx : @& Syntax) : Bool
@[extern "native"] opaque Syntax.getOptional? (stx : @& Syntax) : Option Syntax
@[extern "native"] opaque replaceRef (ref oldRef : @& Syntax) : Syntax
@[extern "native"] opaque addMacroScope (mainModule n : Name) (scp : Nat) : Name
@[extern "native"] opaque mkNullNode (args : Array Syntax) : Syntax
@[extern "native"] opaque _root_.Array.extract {α : Type u} (as : @& Array α) (start : @& Nat := 0)
  (stop : @& Nat := as.size) : Array α

/-! ## Sequences of syntax -/

abbrev TSyntaxArray (ks : SyntaxNodeKinds) := Array (TSyntax ks)
structure Syntax.SepArray (sep : String) where
  elemsAndSeps : Array Syntax
structure Syntax.TSepArray (ks : SyntaxNodeKinds) (sep : String) where
  elemsAndSeps : Array Syntax

@[extern "native"] opaque TSyntaxArray.rawImpl {ks : @& SyntaxNodeKinds} (as : TSyntaxArray ks) : Array Syntax
@[extern "native"] opaque TSyntaxArray.mkImpl {ks : @& SyntaxNodeKinds} (as : Array Syntax) : TSyntaxArray ks
@[implemented_by TSyntaxArray.rawImpl]
opaque TSyntaxArray.raw {ks : @& SyntaxNodeKinds} (as : TSyntaxArray ks) : Array Syntax := Array.empty
@[implemented_by TSyntaxArray.mkImpl]
opaque TSyntaxArray.mk {ks : @& SyntaxNodeKinds} (as : Array Syntax) : TSyntaxArray ks := Array.empty
@[extern "native"]
opaque Syntax.TSepArray.getElems {k : @& SyntaxNodeKinds} {sep : @& String} (sa : @& Syntax.TSepArray k sep) : TSyntaxArray k
instance : CoeOut (Syntax.TSepArray k sep) (TSyntaxArray k) where coe a := a.getElems

/-! ## Building nodes -/

section
variable (info : SourceInfo) (kind : SyntaxNodeKind)
def Syntax.node1 (a₁ : Syntax) : Syntax := .node info kind (Array.mkArray1 a₁)
def Syntax.node2 (a₁ a₂ : Syntax) : Syntax := .node info kind (Array.mkArray2 a₁ a₂)
def Syntax.node3 (a₁ a₂ a₃ : Syntax) : Syntax := .node info kind (Array.mkArray3 a₁ a₂ a₃)
def Syntax.node4 (a₁ a₂ a₃ a₄ : Syntax) : Syntax := .node info kind (Array.mkArray4 a₁ a₂ a₃ a₄)
def Syntax.node5 (a₁ a₂ a₃ a₄ a₅ : Syntax) : Syntax := .node info kind (Array.mkArray5 a₁ a₂ a₃ a₄ a₅)
def Syntax.node6 (a₁ a₂ a₃ a₄ a₅ a₆ : Syntax) : Syntax := .node info kind (Array.mkArray6 a₁ a₂ a₃ a₄ a₅ a₆)
def Syntax.node7 (a₁ a₂ a₃ a₄ a₅ a₆ a₇ : Syntax) : Syntax :=
  .node info kind (Array.mkArray7 a₁ a₂ a₃ a₄ a₅ a₆ a₇)
def Syntax.node8 (a₁ a₂ a₃ a₄ a₅ a₆ a₇ a₈ : Syntax) : Syntax :=
  .node info kind (Array.mkArray8 a₁ a₂ a₃ a₄ a₅ a₆ a₇ a₈)
end

/-! ## Hygiene -/

abbrev MacroScope := Nat
abbrev firstFrontendMacroScope : MacroScope := 1

/-- Monads that know which syntax they are working on. -/
class MonadRef (m : Type → Type) where
  getRef : m Syntax
  withRef {α} : Syntax → m α → m α
export MonadRef (getRef)
@[inline] def withRef [Monad m] [MonadRef m] {α} (ref : Syntax) (x : m α) : m α :=
  bind getRef fun old => MonadRef.withRef (replaceRef ref old) x

/-- Monads in which quotations can be built. -/
class MonadQuotation (m : Type → Type) extends MonadRef m where
  getCurrMacroScope : m MacroScope
  getContext : m Name
  withFreshMacroScope {α : Type} : m α → m α
export MonadQuotation (getCurrMacroScope getContext withFreshMacroScope)

@[inline] def MonadRef.mkInfoFromRefPos [Monad m] [MonadRef m] : m SourceInfo :=
  bind getRef fun ref => pure (SourceInfo.fromRef ref)
@[inline] def MonadQuotation.addMacroScope {m : Type → Type} [MonadQuotation m] [Monad m] (n : Name) : m Name :=
  bind getContext fun context => bind getCurrMacroScope fun scope => pure (Lean.addMacroScope context n scope)

/-! ## Macros -/

structure Parser.Category where
instance : Inhabited Parser.Category := ⟨⟨⟩⟩

namespace Macro
-- The binary passes a table of functions here. Macros of this core only hand it on; that it has two
-- fields keeps it from being stored as a bare value.
structure MethodsRef where
  p : Unit
  q : Unit
structure Context where
  methods : MethodsRef
  quotContext : Name
  currMacroScope : MacroScope
  currRecDepth : Nat := 0
  maxRecDepth : Nat := 512
  ref : Syntax
inductive Exception where
  | error : Syntax → String → Exception
  | unsupportedSyntax : Exception
structure State where
  macroScope : MacroScope
  expandedMacroDecls : List Name := .nil
  traceMsgs : List (Prod Name String) := .nil
end Macro

abbrev MacroM := ReaderT Macro.Context (EStateM Macro.Exception Macro.State)
abbrev Macro := Syntax → MacroM Syntax
instance : MonadQuotation MacroM where
  getRef := fun c s => .ok c.ref s
  withRef r x := fun c => x { c with ref := r }
  getCurrMacroScope := fun c s => .ok c.currMacroScope s
  getContext := fun c s => .ok c.quotContext s
  withFreshMacroScope x := fun c s =>
    x { c with currMacroScope := s.macroScope } { s with macroScope := HAdd.hAdd s.macroScope 1 }

def Macro.throwUnsupported {α} : MacroM α := fun _ s => .error .unsupportedSyntax s
def Macro.throwError {α} (msg : String) : MacroM α := fun c s => .error (.error c.ref msg) s
def Macro.throwErrorAt {α} (ref : Syntax) (msg : String) : MacroM α := withRef ref (throwError msg)

/-! ## Unexpanders: from an application back to notation -/

abbrev PrettyPrinter.UnexpandM := ReaderT Syntax (EStateM Unit Unit)
abbrev PrettyPrinter.Unexpander := Syntax → UnexpandM Syntax
instance : MonadQuotation PrettyPrinter.UnexpandM where
  getRef := fun c s => .ok c s
  withRef r x := fun _ => x r
  getCurrMacroScope := pure 0
  getContext := pure `_fakeMod
  withFreshMacroScope x := x
end Lean
