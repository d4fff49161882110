prelude
import Init.Small.Notation

/-!
# Tactics

The syntax of tactics. A tactic is implemented in the binary, and registered there for a syntax node
of a certain name; so each declaration below only has to carry that name and parse the right thing.
Some are macros over others.

The order matters in two places: a macro can only use syntax that is declared above it, and so can a
declaration that uses `location`, `optConfig` and the like.
-/

/-! ## Focusing -/

namespace Lean
syntax binderIdent := ident <|> hole
syntax cdotTk := patternIgnore("· " <|> ". ")
syntax (name := cdot) cdotTk withPosition(tacticSeq) : tactic
end Lean

namespace Lean.Parser.Tactic
/-! ## Doing nothing, looking, failing, waiting -/

syntax (name := skip) "skip" : tactic
syntax (name := done) "done" : tactic
syntax (name := traceState) "trace_state" : tactic
syntax (name := traceMessage) "trace " str : tactic
syntax (name := fail) "fail" (ppSpace str)? : tactic
syntax (name := sleep) "sleep " num : tactic

/-! ## Hypotheses -/

syntax (name := intro) "intro" notFollowedBy("|") (ppSpace colGt term:max)* : tactic
syntax (name := intros) "intros" (ppSpace colGt (ident <|> hole))* : tactic
syntax (name := revert) "revert" (ppSpace colGt term:max)+ : tactic
syntax (name := clear) "clear" (ppSpace colGt term:max)+ : tactic
syntax (name := subst) "subst" (ppSpace colGt term:max)+ : tactic
syntax (name := assumption) "assumption" : tactic
syntax (name := contradiction) "contradiction" : tactic
syntax (name := specialize) "specialize " term : tactic
syntax (name := rename) "rename " term " => " ident : tactic
syntax (name := renameI) "rename_i" (ppSpace colGt binderIdent)+ : tactic
syntax (name := substVars) "subst_vars" : tactic

/-! ## Giving a term -/

syntax (name := exact) "exact " term : tactic
syntax (name := apply) "apply " term : tactic
syntax (name := refine) "refine " term : tactic
syntax (name := refine') "refine' " term : tactic
syntax (name := constructor) "constructor" : tactic
syntax (name := left) "left" : tactic
syntax (name := right) "right" : tactic
syntax (name := eqRefl) "eq_refl" : tactic
syntax (name := applyRfl) "apply_rfl" : tactic
syntax (name := «show») "show " term : tactic
syntax (name := unfold) "unfold" (ppSpace colGt ident)+ : tactic
syntax (name := congr) "congr" (ppSpace num)? : tactic
syntax (name := exact?) "exact?" (" using " (colGt ident),+)? : tactic
syntax (name := showTerm) "show_term " tacticSeq : tactic
macro "infer_instance" : tactic => `(tactic| exact inferInstance)

/-! ## Combining tactics -/

syntax (name := paren) "(" withoutPosition(tacticSeq) ")" : tactic
syntax (name := withReducible) "with_reducible " tacticSeq : tactic
syntax (name := allGoals) "all_goals " tacticSeq : tactic
syntax (name := anyGoals) "any_goals " tacticSeq : tactic
syntax (name := focus) "focus " tacticSeq : tactic
syntax (name := failIfSuccess) "fail_if_success " tacticSeq : tactic
syntax (name := first) "first " withPosition((ppDedent(ppLine) colGe "| " tacticSeq)+) : tactic
syntax (name := repeat') "repeat' " tacticSeq : tactic
syntax (name := tacticRepeat_) "repeat " tacticSeq : tactic
syntax (name := rotateRight) "rotate_right" (ppSpace num)? : tactic
syntax (name := rotateLeft) "rotate_left" (ppSpace num)? : tactic
macro (name := tacticTry_) "try " t:tacticSeq : tactic => `(tactic| first | $t | skip)

-- `a <;> b` shows the state after `a` at its own symbol, by way of `with_annotate_state`.
syntax:1 (name := «tactic_<;>_») tactic:1 " <;> " tactic:2 : tactic
declare_syntax_cat rawStx
instance : Coe Syntax (TSyntax `rawStx) := ⟨fun s => ⟨s⟩⟩
syntax (name := withAnnotateState) "with_annotate_state " rawStx ppSpace tactic : tactic
macro_rules
  | `(tactic| $x:tactic <;>%$tk $y:tactic) =>
    `(tactic| focus ($x:tactic; with_annotate_state $tk skip; all_goals $y:tactic))

/-! ## Choosing a goal by its name -/

syntax caseArg := binderIdent (ppSpace binderIdent)*
syntax (name := case) "case " sepBy1(caseArg, " | ") " => " tacticSeq : tactic
syntax (name := case') "case' " sepBy1(caseArg, " | ") " => " tacticSeq : tactic
syntax "next" (ppSpace binderIdent)* " => " tacticSeq : tactic
macro_rules
  | `(tactic| next $args* => $tac) => `(tactic| case _ $args* => $tac)

/-! ## Where a tactic works, and its options -/

syntax locationType := patternIgnore("⊢" <|> "|-")
syntax locationWildcard := " *"
syntax locationHyp := (ppSpace colGt (term:max <|> locationType))+
syntax location := withPosition(ppGroup(" at" (locationWildcard <|> locationHyp)))
syntax posConfigItem := " +" noWs ident
syntax negConfigItem := " -" noWs ident
syntax valConfigItem :=
  atomic(" (" notFollowedBy(&"discharger" <|> &"disch") (ident <|> &"config")) " := " withoutPosition(term) ")"
syntax configItem := posConfigItem <|> negConfigItem <|> valConfigItem
syntax optConfig := (colGt configItem)*

syntax (name := change) "change " term (location)? : tactic
syntax (name := decide) "decide" optConfig : tactic

/-! ## Rewriting -/

syntax rwRule := patternIgnore("← " <|> "<- ")? term
syntax rwRuleSeq := " [" withoutPosition(rwRule,*,?) "]"
syntax (name := rewriteSeq) "rewrite" optConfig rwRuleSeq (location)? : tactic
macro (name := tacticRfl) "rfl" : tactic => `(tactic| first | eq_refl | apply_rfl)
macro (name := rwSeq) "rw" c:optConfig s:rwRuleSeq l:(location)? : tactic =>
  `(tactic| (rewrite $c:optConfig $s:rwRuleSeq $(l)?; try (with_reducible rfl)))

macro "rwa " s:rwRuleSeq l:(location)? : tactic => `(tactic| (rw $s:rwRuleSeq $(l)?; assumption))

/-! ## Simplification -/

syntax discharger := atomic(" (" patternIgnore(&"discharger" <|> &"disch")) " := " withoutPosition(tacticSeq) ")"
syntax simpPre := "↓"
syntax simpPost := "↑"
syntax simpLemma := ppGroup((simpPre <|> simpPost)? patternIgnore("← " <|> "<- ")? term)
syntax simpErase := "-" term:max
syntax simpStar := "*"
syntax simpArgs := " [" withoutPosition((simpStar <|> simpErase <|> simpLemma),*,?) "]"
syntax (name := simp) "simp" optConfig (discharger)? (&" only")? (simpArgs)? (location)? : tactic
syntax (name := simpAll) "simp_all" optConfig (discharger)? (&" only")? (simpArgs)? : tactic
syntax (name := dsimp) "dsimp" optConfig (discharger)? (&" only")? (simpArgs)? (location)? : tactic
syntax simpTraceArgsRest := optConfig (discharger)? (&" only")? (simpArgs)? (ppSpace location)?
syntax (name := simpTrace) "simp?" "!"? simpTraceArgsRest : tactic
syntax simpaArgsRest := optConfig (discharger)? &" only "? (simpArgs)? (" using " term)?
syntax (name := simpa) "simpa" "?"? "!"? simpaArgsRest : tactic

/-! ## Case distinction and induction -/

syntax inductionAltLHS := ppDedent(ppLine) withPosition("| " (("@"? ident) <|> hole) (colGt (ident <|> hole))*)
syntax inductionAlt := inductionAltLHS+ (" => " (hole <|> syntheticHole <|> tacticSeq))?
syntax inductionAlts := " with" (ppSpace colGt tactic)? withPosition((colGe inductionAlt)*)
syntax elimTarget := atomic(binderIdent " : ")? term
syntax (name := induction) "induction " elimTarget,+ (" using " term)?
  (" generalizing" (ppSpace colGt term:max)+)? (inductionAlts)? : tactic
syntax (name := cases) "cases " elimTarget,+ (" using " term)? (inductionAlts)? : tactic
syntax (name := injection) "injection " term (" with" (ppSpace colGt (ident <|> hole))+)? : tactic

syntax (name := split) "split" (ppSpace colGt term)? (location)? : tactic
syntax generalizeArg := atomic(ident " : ")? term:51 " = " ident
syntax (name := generalize) "generalize " generalizeArg,+ (location)? : tactic
macro "by_cases " h:ident " : " p:term : tactic =>
  `(tactic| refine dite $p (fun $h:ident => ?pos) (fun $h:ident => ?neg))
macro "funext " x:ident : tactic => `(tactic| refine funext fun $x:ident => ?_)

/-! ## Taking hypotheses apart by patterns -/

declare_syntax_cat rcasesPat
syntax rcasesPatMed := sepBy1(rcasesPat, " | ")
syntax rcasesPatLo := rcasesPatMed (" : " term)?
syntax (name := rcasesPat.one) ident : rcasesPat
syntax (name := rcasesPat.ignore) "_" : rcasesPat
syntax (name := rcasesPat.clear) "-" : rcasesPat
syntax (name := rcasesPat.tuple) "⟨" rcasesPatLo,* "⟩" : rcasesPat
syntax (name := rcasesPat.paren) "(" rcasesPatLo ")" : rcasesPat
syntax (name := rcases) "rcases" elimTarget,* (" with " rcasesPatLo)? : tactic
declare_syntax_cat rintroPat
syntax (name := rintroPat.one) rcasesPat : rintroPat
syntax (name := rintro) "rintro" (ppSpace colGt rintroPat)+ (" : " term)? : tactic
syntax (name := obtain) "obtain" (ppSpace rcasesPatMed)? (" : " term)? (" := " term,+)? : tactic

/-! ## Introducing facts on the way -/

macro (name := tacticRefine_lift_) "refine_lift " e:term : tactic =>
  `(tactic| focus (refine no_implicit_lambda% $e; rotate_right))
syntax (name := tacticHave__) "have" letConfig letDecl : tactic
macro_rules
  | `(tactic| have $c:letConfig $d:letDecl) => `(tactic| refine_lift have $c:letConfig $d:letDecl; ?_)
syntax (name := tacticLet__) "let" letConfig letDecl : tactic
macro_rules
  | `(tactic| let $c:letConfig $d:letDecl) => `(tactic| refine_lift let $c:letConfig $d:letDecl; ?_)
macro (name := tacticSuffices_) "suffices " d:sufficesDecl : tactic => `(tactic| refine_lift suffices $d; ?_)

/-! ## Giving up, and closing what is easy -/

macro (name := tacticSorry) "sorry" : tactic => `(tactic| exact sorry)
macro (name := tacticStop_) "stop" tacticSeq : tactic => `(tactic| repeat sorry)
macro (name := tacticExfalso) "exfalso" : tactic => `(tactic| refine False.elim ?_)
macro (name := tacticTrivial) "trivial" : tactic =>
  `(tactic| first | assumption | rfl | contradiction | exact True.intro)
syntax "exists " term,+ : tactic
macro_rules
  | `(tactic| exists $e) => `(tactic| (refine ⟨$e, ?_⟩; try trivial))
end Lean.Parser.Tactic

/-- The hypothesis that says `type`. -/
macro:max "‹" type:term "›" : term => `((by assumption : $type))

/-! ## Chains of equalities, as a term and as a tactic -/

namespace Lean
syntax calcFirstStep := ppIndent(colGe term (" := " term)?)
syntax calcStep := ppIndent(colGe term " := " term)
syntax calcSteps := ppLine withPosition(calcFirstStep) withPosition((calcStep ppLine)*)
syntax (name := calc) "calc" calcSteps : term
syntax (name := calcTactic) "calc" calcSteps : tactic
end Lean
