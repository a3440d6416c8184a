import type { Environment } from '@marcbachmann/cel-js';

const SIGNS: readonly (readonly [sign: string, calculate: (a: number, b: number) => number])[] = [
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
  ['%', (a, b) => a % b],
];

/**
 * Lets an environment calculate with doubles and ints together: numbers of JSON are doubles to CEL,
 * and its literals mostly ints. The results are declared, since a type that does not hold would make
 * a later comparison false without a word.
 */
export function mixNumbers(environment: Environment): void {
  for (const [sign, calculate] of SIGNS) {
    const mixed = (a: number | bigint, b: number | bigint) => calculate(Number(a), Number(b));
    environment.registerOperator(`double ${sign} int: double`, mixed);
    environment.registerOperator(`int ${sign} double: double`, mixed);
  }
  environment.registerOperator('double % double: double', (a: number, b: number) => a % b);
  environment.registerOperator('int == double: bool', (a: bigint, b: number) => Number(a) === b);
}
