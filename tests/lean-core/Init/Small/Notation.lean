prelude
import Init.Small.Macro

/-!
# Notation

Precedences, the combinators of `syntax` (`*`, `+`, `?`, `,*`), operators, lists, `if` and `∃`.

An operator is declared twice: `infixl` gives its look and how it is printed, and the `macro_rules`
after it hands the term to the elaborator that inserts coercions in a whole tree of operators at once.
-/

/-! ## Priorities and precedences -/

macro "default" : prio => `(prio| 1000)
macro "low" : prio => `(prio| 100)
macro "mid" : prio => `(prio| 500)
macro "high" : prio => `(prio| 10000)
macro "max" : prec => `(prec| 1024)
macro "arg" : prec => `(prec| 1023)
macro "lead" : prec => `(prec| 1022)
macro "min1" : prec => `(prec| 11)
macro "min" : prec => `(prec| 10)
macro "max_prec" : term => `(1024)

/-! ## Combinators for `syntax` -/

macro:arg x:stx:max "*" : stx => `(stx| many($x))
macro:arg x:stx:max "+" : stx => `(stx| many1($x))
macro:arg x:stx:max "?" : stx => `(stx| optional($x))
macro:2 p:stx:2 " <|> " q:stx:1 : stx => `(stx| orelse($p, $q))
macro:arg x:stx:max ",*" : stx => `(stx| sepBy($x, ",", ", "))
macro:arg x:stx:max ",+" : stx => `(stx| sepBy1($x, ",", ", "))
macro:arg x:stx:max ",*,?" : stx => `(stx| sepBy($x, ",", ", ", allowTrailingSep))
macro:arg x:stx:max ",+,?" : stx => `(stx| sepBy1($x, ",", ", ", allowTrailingSep))
macro:arg "!" x:stx:max : stx => `(stx| notFollowedBy($x))

/-! ## Attributes with arguments -/

syntax (name := Lean.Parser.Attr.simp) "simp" (&" ↓" <|> &" ↑")? ("← " <|> "<- ")? (ppSpace prio)? : attr

/-! ## Arithmetic -/

infixl:65 " + " => HAdd.hAdd
infixl:65 " - " => HSub.hSub
infixl:70 " * " => HMul.hMul
infixl:70 " / " => HDiv.hDiv
infixl:70 " % " => HMod.hMod
infixr:75 " ^ " => HPow.hPow
infixl:65 " ++ " => HAppend.hAppend
macro_rules | `($x + $y) => `(binop% HAdd.hAdd $x $y)
macro_rules | `($x - $y) => `(binop% HSub.hSub $x $y)
macro_rules | `($x * $y) => `(binop% HMul.hMul $x $y)
macro_rules | `($x / $y) => `(binop% HDiv.hDiv $x $y)
macro_rules | `($x % $y) => `(binop% HMod.hMod $x $y)
macro_rules | `($x ^ $y) => `(rightact% HPow.hPow $x $y)
macro_rules | `($x ++ $y) => `(binop% HAppend.hAppend $x $y)

/-! ## Comparison -/

infix:50 " = " => Eq
infix:50 " == " => BEq.beq
infix:50 " != " => bne
infix:50 " ≠ " => Ne
infix:50 unicode(" ≤ ", " <= ") => LE.le
infix:50 " < " => LT.lt
infix:50 unicode(" ≥ ", " >= ") => GE.ge
infix:50 " > " => GT.gt
infix:50 " ≍ " => HEq
macro_rules | `($x = $y) => `(binrel% Eq $x $y)
macro_rules | `($x ≠ $y) => `(binrel% Ne $x $y)
macro_rules | `($x ≤ $y) => `(binrel% LE.le $x $y)
macro_rules | `($x < $y) => `(binrel% LT.lt $x $y)
macro_rules | `($x ≥ $y) => `(binrel% GE.ge $x $y)
macro_rules | `($x > $y) => `(binrel% GT.gt $x $y)
macro_rules | `($x == $y) => `(binrel_no_prop% BEq.beq $x $y)
macro_rules | `($x != $y) => `(binrel_no_prop% bne $x $y)

/-! ## Connectives -/

infixr:35 unicode(" ∧ ", " /\\ ") => And
infixr:30 unicode(" ∨ ", " \\/ ") => Or
infix:20 " <-> " => Iff
infix:20 " ↔ " => Iff
notation:max "¬" p:40 => Not p
notation:max "!" b:40 => Bool.not b
infixl:35 " && " => Bool.and
infixl:30 " || " => Bool.or

/-! ## Data and functions -/

infixr:67 " :: " => List.cons
infixr:35 " × " => Prod
infixr:90 " ∘ " => Function.comp
infixl:55 " >>= " => Bind.bind

syntax:min term " <| " term:min : term
macro_rules | `($f <| $a) => `($f $a)
syntax:min term " |> " term:min1 : term
macro_rules | `($a |> $f) => `($f $a)

syntax "[" term,* "]" : term
macro_rules
  | `([]) => `(List.nil)
  | `([$a]) => `(List.cons $a List.nil)
  | `([$a, $as,*]) => `(List.cons $a [$as,*])

/-! ## Choice and existence -/

syntax:lead (name := termIfThenElse) "if " term " then " term " else " term : term
macro_rules | `(if $c then $t else $e) => `(ite $c $t $e)

syntax:lead (name := termDepIfThenElse) "if " ident " : " term " then " term " else " term : term
macro_rules | `(if $h:ident : $c then $t else $e) => `(dite $c (fun $h:ident => $t) (fun $h:ident => $e))

syntax "∃ " ident+ (" : " term)? ", " term : term
macro_rules
  | `(∃ $x:ident, $b) => `(Exists fun $x:ident => $b)
  | `(∃ $x:ident : $t, $b) => `(Exists fun $x:ident : $t => $b)
  | `(∃ $x:ident $y:ident $ys:ident*, $b) => `(Exists fun $x:ident => ∃ $y:ident $ys:ident*, $b)
  | `(∃ $x:ident $y:ident $ys:ident* : $t, $b) => `(Exists fun $x:ident : $t => ∃ $y:ident $ys:ident* : $t, $b)

/-! ## Printing the notation above that is not an operator -/

@[app_unexpander Exists] def Lean.unexpandExists : Lean.PrettyPrinter.Unexpander
  | `($_ fun $x:ident => ∃ $xs:ident*, $b) => `(∃ $x:ident $xs:ident*, $b)
  | `($_ fun $x:ident => $b) => `(∃ $x:ident, $b)
  | `($_ fun ($x:ident : $t) => $b) => `(∃ $x:ident : $t, $b)
  | _ => throw ()

@[app_unexpander ite] def Lean.unexpandIte : Lean.PrettyPrinter.Unexpander
  | `($_ $c $t $e) => `(if $c then $t else $e)
  | _ => throw ()

@[app_unexpander List.nil] def Lean.unexpandListNil : Lean.PrettyPrinter.Unexpander
  | `($_) => `([])

@[app_unexpander List.cons] def Lean.unexpandListCons : Lean.PrettyPrinter.Unexpander
  | `($_ $x []) => `([$x])
  | `($_ $x [$xs,*]) => `([$x, $xs,*])
  | _ => throw ()
