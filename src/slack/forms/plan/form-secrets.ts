import { isSecretPath } from '../../../domain/secrets/secret-paths.ts';
import { type Schema, variantsOf, type Walk } from '../../schema/resolve-schema.ts';
import type { Path } from './form-node.ts';

/** Tells whether a path is one of the tool's secrets, or inside one. */
export function isSecretPlace(path: Path, secrets: readonly string[]): boolean {
  return secrets.length > 0 && isSecretPath(path, secrets);
}

/** Tells whether the value at a path is or contains one of the tool's secrets. */
export function containsSecretPath(path: Path, secrets: readonly string[]): boolean {
  const names = path.filter((step) => typeof step === 'string');
  return secrets.some((secret) => {
    const steps = secret.split('.').filter((step) => step !== '*');
    return names.every((name, i) => i >= steps.length || steps[i] === name);
  });
}

/**
 * Tells whether a schema marks its values as secret. A schema too large to check counts as secret.
 */
export function isSecretSchema(schema: Schema, walk: Walk): boolean {
  const variants = variantsOf(schema, walk);
  return (
    walk.left < 0 || variants.some((each) => each.writeOnly === true || each.format === 'password')
  );
}
