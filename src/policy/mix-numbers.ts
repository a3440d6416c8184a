import type { Environment } from '@marcbachmann/cel-js';

/** Lets an environment calculate with doubles and ints together: numbers of JSON are doubles to CEL, and its literals mostly ints. */
export function mixNumbers(environment: Environment): void {
  const operators: readonly (readonly [string, (a: number, b: number) => number])[] = [
    ['+', (a, b) => a + b],
    ['-', (a, b) => a - b],
    ['*', (a, b) => a * b],
    ['/', (a, b) => a / b],
    ['%', (a, b) => a % b],
  ];
  for (const [sign, calculate] of operators) {
    const mixed = (a: number | bigint, b: number | bigint) => calculate(Number(a), Number(b));
    environment.registerOperator(`double ${sign} int`, mixed);
    environment.registerOperator(`int ${sign} double`, mixed);
  }
  environment.registerOperator('double % double', (a: number, b: number) => a % b);
}
