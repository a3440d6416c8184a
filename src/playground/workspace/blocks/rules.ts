import { isJson, type Json, toText } from '../json-value.ts';
import type { Limit } from './limits.ts';

/** An error that Slack would report. `pointer` is a JSON pointer into the payload. */
export interface BlockProblem {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** Checks a value and reports its problems. */
export type Rule = (value: unknown, pointer: string, report: Report) => void;

/** Records a problem. */
export type Report = (pointer: string, code: string, message: string) => void;

/** The members of an object. All other names are refused. */
export interface Shape {
  readonly required?: Readonly<Record<string, Rule>>;
  readonly optional?: Readonly<Record<string, Rule>>;
  /** A check that involves several members. */
  readonly whole?: Rule;
}

/** A string within a limit. */
export function str(limit: Limit): Rule {
  return (value, pointer, report) => {
    if (typeof value !== 'string') {
      report(pointer, 'invalid_type', 'must be a string');
      return;
    }
    checkLength(value, limit, pointer, report);
  };
}

function checkLength(value: string, limit: Limit, pointer: string, report: Report): void {
  // Slack treats text of only white space as empty.
  const length = value.trim() === '' ? 0 : [...value].length;
  if (length < (limit.min ?? 0)) {
    report(pointer, 'too_short', `must be more than ${(limit.min ?? 0) - 1} characters`);
  }
  if ([...value].length > limit.max) {
    report(pointer, 'too_long', `must be less than ${limit.max + 1} characters`);
  }
}

/** A text object of one of the types, within a limit. */
export function text(types: readonly ('plain_text' | 'mrkdwn')[], limit: Limit): Rule {
  const shapes = {
    plain_text: shape({ required: { type: any, text: str(limit) }, optional: { emoji: bool } }),
    mrkdwn: shape({ required: { type: any, text: str(limit) }, optional: { verbatim: bool } }),
  };
  return (value, pointer, report) => {
    const type = isJson(value) ? value.type : undefined;
    const known = types.find((allowed) => allowed === type);
    if (known === undefined) {
      report(pointer, 'invalid_type', `must be a text object of type ${types.join(' or ')}`);
      return;
    }
    shapes[known](value, pointer, report);
  };
}

/** Plain text only. */
export function plain(limit: Limit): Rule {
  return text(['plain_text'], limit);
}

/** Plain text or mrkdwn. */
export function rich(limit: Limit): Rule {
  return text(['plain_text', 'mrkdwn'], limit);
}

/** An array within a limit, whose items match the rule. */
export function list(limit: Limit, item: Rule): Rule {
  return (value, pointer, report) => {
    if (!Array.isArray(value)) {
      report(pointer, 'invalid_type', 'must be an array');
      return;
    }
    if (value.length > limit.max) {
      report(pointer, 'too_many_items', `no more than ${limit.max} items allowed`);
    }
    if (value.length < (limit.min ?? 0)) {
      report(pointer, 'too_few_items', `no fewer than ${limit.min} items allowed`);
    }
    for (const [index, member] of value.entries()) {
      item(member, `${pointer}/${index}`, report);
    }
  };
}

/** An object with exactly the named members. */
export function shape({ required = {}, optional = {}, whole: check }: Shape): Rule {
  return (value, pointer, report) => {
    if (!isJson(value)) {
      report(pointer, 'invalid_type', 'must be an object');
      return;
    }
    for (const name of Object.keys(required).filter((one) => value[one] === undefined)) {
      report(pointer, 'missing_field', `missing required field: ${name}`);
    }
    checkMembers(value, { ...optional, ...required }, pointer, report);
    check?.(value, pointer, report);
  };
}

function checkMembers(
  value: Json,
  rules: Readonly<Record<string, Rule>>,
  pointer: string,
  report: Report,
): void {
  for (const [name, member] of Object.entries(value)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      report(pointer, 'additional_property', `invalid additional property: ${name}`);
    } else if (member !== undefined) {
      rule(member, `${pointer}/${name}`, report);
    }
  }
}

/** An object whose `type` selects its rule. */
export function byType(table: Readonly<Record<string, Rule>>): Rule {
  return (value, pointer, report) => {
    const type = isJson(value) ? toText(value.type) : '';
    const rule = Object.hasOwn(table, type) ? table[type] : undefined;
    if (rule === undefined) {
      report(`${pointer}/type`, 'unsupported_type', `unsupported type: ${type || 'none'}`);
    } else {
      rule(value, pointer, report);
    }
  };
}

/** Exactly true or false. */
export const bool: Rule = (value, pointer, report) => {
  if (typeof value !== 'boolean') {
    report(pointer, 'invalid_type', 'must be a boolean');
  }
};

/** Any number. */
export const num: Rule = (value, pointer, report) => {
  if (typeof value !== 'number') report(pointer, 'invalid_type', 'must be a number');
};

/** A whole number within a limit. */
export function whole(limit: Limit): Rule {
  return (value, pointer, report) => {
    const fits = Number.isInteger(value) && Number(value) >= (limit.min ?? 0);
    if (!fits || Number(value) > limit.max) {
      report(pointer, 'out_of_range', `must be from ${limit.min ?? 0} to ${limit.max}`);
    }
  };
}

/** One of the given strings. */
export function oneOf(...words: readonly string[]): Rule {
  return (value, pointer, report) => {
    if (typeof value !== 'string' || !words.includes(value)) {
      report(pointer, 'invalid_value', `must be one of: ${words.join(', ')}`);
    }
  };
}

/** A string that matches the pattern. */
export function matching(pattern: RegExp, what: string): Rule {
  return (value, pointer, report) => {
    if (typeof value !== 'string' || !pattern.test(value)) {
      report(pointer, 'invalid_value', `must be ${what}`);
    }
  };
}

/** Any value: Slack's checks for it are unknown. */
export const any: Rule = () => undefined;

/** A rule about a whole object. Other values are skipped. */
export function about(check: (value: Json, pointer: string, report: Report) => void): Rule {
  return (value, pointer, report) => {
    if (isJson(value)) {
      check(value, pointer, report);
    }
  };
}
