/** Variables in the texts of a file of MCP servers, in each of the forms in which programs write them. */

type Environment = Readonly<Record<string, string | undefined>>;

/** Fills in variables, and gathers what can't be filled in. */
export interface VariableExpander {
  /** `isShell`: `$(…)` is left to the shell that the text is for. */
  fill(template: string, isShell?: boolean): string;
  fillAll(templates: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Sentences that begin with the place. */
  readonly problems: readonly string[];
  /** What was put in. */
  readonly values: readonly string[];
  /** The variables that were asked for. */
  readonly names: readonly string[];
}

const NAME = '[A-Za-z_][A-Za-z0-9_]*';
/** `${NAME}`, `${env:NAME}`, `{env:NAME}`, each with `:-otherwise` or without it, and `$NAME`. */
const KNOWN = new RegExp(
  `\\$\\{(?:env:)?(${NAME})(?::-([^\${}]*))?\\}|(?<!\\$)\\{env:(${NAME})(?::-([^\${}]*))?\\}|\\$(${NAME})`,
  'g',
);
/** What is a variable to somebody, and is none of these. */
const UNKNOWN =
  /\$\{[^}]*\}|\$\{|(?<!\$)\{(?:env|file|input):[^}]*\}|\{\{\s*[\w.:-]+\s*\}\}|^%\w+%$/;
const COMMAND = /\$\(/;
const LONGEST_NAME = 60;

/** Makes a filler for one place of the file, like a server. */
export function createVariableExpander(place: string, env: Environment): VariableExpander {
  const problems = new Set<string>();
  const values: string[] = [];
  const names = new Set<string>();

  function lookUp(name: string, otherwise: string | undefined): string {
    names.add(name);
    const value = env[name];
    if (value !== undefined && value.trim() !== '') {
      values.push(value);
      return value;
    }
    if (otherwise === undefined) {
      problems.add(`${place} needs the variable ${name}, which is not set. Set it.`);
    }
    return otherwise ?? '';
  }

  function refuseRest(rest: string, isShell: boolean): void {
    const found = UNKNOWN.exec(rest)?.[0] ?? (isShell ? undefined : COMMAND.exec(rest)?.[0]);
    if (found === undefined) return;
    // What follows a name may be a secret.
    const name = found.replace(/:?[-=?+].*$/s, '…');
    const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
    problems.add(
      `${place} holds ${shown}, which looks like a variable and can’t be filled in here. Write \${NAME}, and set NAME in the environment.`,
    );
  }

  function fill(template: string, isShell = false): string {
    const rest: string[] = [];
    let at = 0;
    const filled = template.replace(KNOWN, (all, ...groups) => {
      const [braced, otherwise, other, otherwise2, plain] = groups as (string | undefined)[];
      const index = groups.at(-2) as number;
      rest.push(template.slice(at, index));
      at = index + all.length;
      return lookUp(braced ?? other ?? plain ?? '', otherwise ?? otherwise2);
    });
    rest.push(template.slice(at));
    // What was put in is never looked at again: a value may hold anything.
    refuseRest(rest.join(' '), isShell);
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
