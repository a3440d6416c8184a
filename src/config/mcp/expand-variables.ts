/** Variables in the strings of an MCP server file, in every syntax that other programs use. */

type Environment = Readonly<Record<string, string | undefined>>;

/** Fills in variables and collects what could not be filled in. */
export interface VariableExpander {
  /** `isShell`: `$(…)` is left for the shell that gets the text. */
  fill(template: string, isShell?: boolean): string;
  fillAll(templates: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Sentences that begin with the place in the file. */
  readonly problems: readonly string[];
  /** The values that were filled in. */
  readonly values: readonly string[];
  /** The names of all variables that were looked up. */
  readonly names: readonly string[];
}

const NAME = '[A-Za-z_][A-Za-z0-9_]*';
/** `${NAME}`, `${env:NAME}`, `{env:NAME}`, each optionally with `:-fallback`, and `$NAME`. */
const KNOWN = new RegExp(
  `\\$\\{(?:env:)?(${NAME})(?::-([^\${}]*))?\\}|(?<!\\$)\\{env:(${NAME})(?::-([^\${}]*))?\\}|\\$(${NAME})`,
  'g',
);
/** Variable syntax of other programs that is not supported here. */
const UNKNOWN =
  /\$\{[^}]*\}|\$\{|(?<!\$)\{(?:env|file|input):[^}]*\}|\{\{\s*[\w.:-]+\s*\}\}|^%\w+%$/;
const COMMAND = /\$\(/;
const MAX_SHOWN_NAME = 60;

/** Creates an expander for one place in the file, such as a server. */
export function createVariableExpander(place: string, env: Environment): VariableExpander {
  const problems = new Set<string>();
  const values: string[] = [];
  const names = new Set<string>();

  function lookUp(name: string, fallback: string | undefined): string {
    names.add(name);
    const value = env[name];
    if (value !== undefined && value.trim() !== '') {
      values.push(value);
      return value;
    }
    if (fallback === undefined) {
      problems.add(`${place} needs the variable ${name}, which is not set. Set it.`);
    }
    return fallback ?? '';
  }

  function reportUnknown(rest: string, isShell: boolean): void {
    const found = UNKNOWN.exec(rest)?.[0] ?? (isShell ? undefined : COMMAND.exec(rest)?.[0]);
    if (found === undefined) return;
    // Cut after the name: a default value may be a secret.
    const name = found.replace(/:?[-=?+].*$/s, '…');
    const shown = name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name;
    problems.add(
      `${place} holds ${shown}, which looks like a variable and can’t be filled in here. Write \${NAME}, and set NAME in the environment.`,
    );
  }

  function fill(template: string, isShell = false): string {
    const rest: string[] = [];
    let at = 0;
    const filled = template.replace(KNOWN, (all, ...groups) => {
      const [braced, fallback, other, fallback2, plain] = groups as (string | undefined)[];
      const index = groups.at(-2) as number;
      rest.push(template.slice(at, index));
      at = index + all.length;
      return lookUp(braced ?? other ?? plain ?? '', fallback ?? fallback2);
    });
    rest.push(template.slice(at));
    // Filled-in values are not checked: they may contain anything.
    reportUnknown(rest.join(' '), isShell);
    return filled;
  }

  return {
    fill,
    fillAll: (templates) =>
      Object.fromEntries(Object.entries(templates).map(([name, text]) => [name, fill(text)])),
    get problems() {
      return [...problems];
    },
    values,
    get names() {
      return [...names];
    },
  };
}
