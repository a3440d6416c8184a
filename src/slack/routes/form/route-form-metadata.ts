import { isPayload, textAt } from '../../transport/payload.ts';

/** What the view of a form says of itself. */
export interface RouteFormMetadata {
  /** Of the route that is changed; undefined for a new one. */
  readonly name?: string;
  /** The revision that the form was filled from; 0 for a new route. */
  readonly seen: number;
  /** Where it was opened. */
  readonly from: 'list' | 'home';
  /** The second step is shown. */
  readonly isMore?: true;
  /** Under what the values of both steps are kept, once a step was turned. */
  readonly form?: string;
}

const FORM = /^[A-Za-z0-9_-]{16}$/;

/** Writes it as the view carries it. */
export function encodeRouteFormMetadata({
  form,
  from,
  isMore,
  name,
  seen,
}: RouteFormMetadata): string {
  return JSON.stringify({
    from,
    seen,
    ...(name !== undefined && { name }),
    ...(isMore && { isMore }),
    ...(form !== undefined && { form }),
  });
}

/** Reads it; undefined for anything that `encodeRouteMeta` did not write. */
export function parseRouteFormMetadata(text: string): RouteFormMetadata | undefined {
  const value = parse(text);
  if (!isPayload(value)) return undefined;
  const { from, seen } = value;
  if ((from !== 'list' && from !== 'home') || !Number.isSafeInteger(seen)) return undefined;
  const name = textAt(value, 'name');
  const form = textAt(value, 'form');
  if (form !== undefined && !FORM.test(form)) return undefined;
  return {
    from,
    seen: Number(seen),
    ...(name !== undefined && { name }),
    ...(value.isMore === true && { isMore: true }),
    ...(form !== undefined && { form }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
