prelude
import Init.Small.Control

/-!
# Names, syntax trees, parser descriptions

The data that parser, elaborator and macros exchange. The binary creates and reads these objects, so
constructors, their order and their fields are part of its interface; so are the numbers in the hash
of a name.
-/

set_option linter.unusedVariables false

/-! ## Names -/

namespace Lean
/-- A dotted name; `str` and `num` add a component to the right. -/
inductive Name where
  | anonymous : Name
  | str (pre : Name) (str : String)
  | num (pre : Name) (i : Nat)
with
  @[computed_field] hash : Name → UInt64
    | .anonymous => .ofNatLT 1723 (of_decide_eq_true rfl)
    | .str p s => mixHash p.hash s.hash
    | .num p v => mixHash p.hash
        (dite (LT.lt v UInt64.size) (fun h => UInt64.ofNatLT v h) (fun _ => UInt64.ofNatLT 17 (of_decide_eq_true rfl)))
instance : Inhabited Name := ⟨.anonymous⟩

namespace Name
abbrev mkStr (p : Name) (s : String) : Name := .str p s
abbrev mkNum (p : Name) (v : Nat) : Name := .num p v
abbrev mkSimple (s : String) : Name := .str .anonymous s

/-! What a quoted name expands to, by its number of components. -/

@[reducible] def mkStr1 (s₁ : String) : Name := .str .anonymous s₁
@[reducible] def mkStr2 (s₁ s₂ : String) : Name := .str (.str .anonymous s₁) s₂
@[reducible] def mkStr3 (s₁ s₂ s₃ : String) : Name := .str (mkStr2 s₁ s₂) s₃
@[reducible] def mkStr4 (s₁ s₂ s₃ s₄ : String) : Name := .str (mkStr3 s₁ s₂ s₃) s₄
@[reducible] def mkStr5 (s₁ s₂ s₃ s₄ s₅ : String) : Name := .str (mkStr4 s₁ s₂ s₃ s₄) s₅
@[reducible] def mkStr6 (s₁ s₂ s₃ s₄ s₅ s₆ : String) : Name := .str (mkStr5 s₁ s₂ s₃ s₄ s₅) s₆
@[reducible] def mkStr7 (s₁ s₂ s₃ s₄ s₅ s₆ s₇ : String) : Name := .str (mkStr6 s₁ s₂ s₃ s₄ s₅ s₆) s₇
@[reducible] def mkStr8 (s₁ s₂ s₃ s₄ s₅ s₆ s₇ s₈ : String) : Name := .str (mkStr7 s₁ s₂ s₃ s₄ s₅ s₆ s₇) s₈

@[extern "lean_name_eq"] protected opaque beq (a b : @& Name) : Bool
instance : BEq Name := ⟨Name.beq⟩
end Name
end Lean

/-! ## Places in source text -/

/-- A place in a string, as a number of UTF-8 bytes. -/
structure String.Pos.Raw where
  byteIdx : Nat := 0

/-- A part of a string. -/
structure Substring.Raw where
  str : String
  startPos : String.Pos.Raw
  stopPos : String.Pos.Raw

@[inline] def String.toRawSubstring (s : String) : Substring.Raw := ⟨s, ⟨0⟩, ⟨s.utf8ByteSize⟩⟩
def String.toRawSubstring' (s : String) : Substring.Raw := s.toRawSubstring

namespace Lean
/-- Where a piece of syntax comes from. -/
inductive SourceInfo where
  | original (leading : Substring.Raw) (pos : String.Pos.Raw) (trailing : Substring.Raw) (endPos : String.Pos.Raw)
  | synthetic (pos : String.Pos.Raw) (endPos : String.Pos.Raw) (canonical : Bool := false)
  | protected none
instance : Inhabited SourceInfo := ⟨.none⟩

/-! ## Syntax trees -/

abbrev SyntaxNodeKind := Name
abbrev SyntaxNodeKinds := List SyntaxNodeKind

inductive Syntax.Preresolved where
  | namespace (ns : Name)
  | decl (n : Name) (fields : List String)

/-- What the parser makes of source text. -/
inductive Syntax where
  | missing : Syntax
  | node (info : SourceInfo) (kind : SyntaxNodeKind) (args : Array Syntax) : Syntax
  | atom (info : SourceInfo) (val : String) : Syntax
  | ident (info : SourceInfo) (rawVal : Substring.Raw) (val : Name) (preresolved : List Syntax.Preresolved) : Syntax
instance : Inhabited Syntax := ⟨.missing⟩

/-- Syntax that is known to be of one of the kinds `ks`. -/
structure TSyntax (ks : SyntaxNodeKinds) where
  raw : Syntax
instance : Inhabited (TSyntax ks) := ⟨⟨.missing⟩⟩
instance : Coe SyntaxNodeKind SyntaxNodeKinds where coe k := .cons k .nil
instance : CoeOut (TSyntax ks) Syntax where coe stx := stx.raw
instance {k k' : SyntaxNodeKind} : Coe (TSyntax (.cons k .nil)) (TSyntax (.cons k' (.cons k .nil))) where
  coe stx := ⟨stx.raw⟩

abbrev Term := TSyntax `term
abbrev Ident := TSyntax `ident
instance : Coe (TSyntax `ident) (TSyntax `term) where coe s := ⟨s.raw⟩
instance : Coe (TSyntax `num) (TSyntax `term) where coe s := ⟨s.raw⟩
instance : Coe (TSyntax `str) (TSyntax `term) where coe s := ⟨s.raw⟩
instance : CoeTail Syntax (TSyntax ks) where coe s := ⟨s⟩

abbrev choiceKind : SyntaxNodeKind := `choice
abbrev nullKind : SyntaxNodeKind := `null
abbrev groupKind : SyntaxNodeKind := `group
abbrev identKind : SyntaxNodeKind := `ident
abbrev strLitKind : SyntaxNodeKind := `str
abbrev charLitKind : SyntaxNodeKind := `char
abbrev numLitKind : SyntaxNodeKind := `num
abbrev scientificLitKind : SyntaxNodeKind := `scientific
abbrev nameLitKind : SyntaxNodeKind := `name
abbrev fieldIdxKind : SyntaxNodeKind := `fieldIdx
abbrev hygieneInfoKind : SyntaxNodeKind := `hygieneInfo

/-! ## Parser descriptions: what `syntax` and `notation` compile to -/

inductive ParserDescr where
  | const (name : Name)
  | unary (name : Name) (p : ParserDescr)
  | binary (name : Name) (p₁ p₂ : ParserDescr)
  | node (kind : SyntaxNodeKind) (prec : Nat) (p : ParserDescr)
  | trailingNode (kind : SyntaxNodeKind) (prec lhsPrec : Nat) (p : ParserDescr)
  | symbol (val : String)
  | nonReservedSymbol (val : String) (includeIdent : Bool)
  | cat (catName : Name) (rbp : Nat)
  | parser (declName : Name)
  | nodeWithAntiquot (name : String) (kind : SyntaxNodeKind) (p : ParserDescr)
  | sepBy (p : ParserDescr) (sep : String) (psep : ParserDescr) (allowTrailingSep : Bool := false)
  | sepBy1 (p : ParserDescr) (sep : String) (psep : ParserDescr) (allowTrailingSep : Bool := false)
  | unicodeSymbol (val asciiVal : String) (preserveForPP : Bool)
abbrev TrailingParserDescr := ParserDescr
instance : Inhabited ParserDescr := ⟨.symbol ""⟩
end Lean
