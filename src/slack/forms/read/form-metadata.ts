import { randomBytes } from 'node:crypto';

/** What a form's view says of itself besides the token of its call. */
export interface FormMetadata {
  /** Unguessable: names what was typed on the form's other pages. */
  readonly formId: string;
  /** From 1. */
  readonly page: number;
  /** Whether something of the form is kept in the store. */
  readonly isKept: boolean;
}

/** Begins a form of its own: nothing of an earlier one is in it. */
export function createFormMetadata(): FormMetadata {
  return { formId: randomBytes(12).toString('base64url'), page: 1, isKept: false };
}

/** Writes it as the view carries it. */
export function encodeFormMetadata({ formId, page, isKept }: FormMetadata): string {
  return `${formId}.${page}.${isKept ? 'kept' : 'new'}`;
}

/** Reads it; undefined for anything that `encodeFormMeta` did not write. */
export function parseFormMetadata(text: string): FormMetadata | undefined {
  const [, formId, page, kept] =
    /^([A-Za-z0-9_-]{16})\.([1-9][0-9]{0,3})\.(kept|new)$/.exec(text) ?? [];
  if (formId === undefined || page === undefined) return undefined;
  return { formId, page: Number(page), isKept: kept === 'kept' };
}
