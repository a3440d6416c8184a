import type { ConfirmationDialog } from '@slack/types';
import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';

/** An action on an element, with the ids that Slack uses. */
export interface Press {
  readonly actionId: string;
  readonly blockId?: string;
  readonly option?: string;
  readonly value?: string;
}

/** The value of a form field; null if a person emptied it. */
export type FieldValue = string | readonly string[] | null;

/** A choice of an element. */
export interface Choice {
  readonly text: string;
  /** Whether the text is mrkdwn. Otherwise it is plain text. */
  readonly isMarkup?: boolean;
  readonly value: string;
  readonly description?: string;
}

/** How the surface around blocks (message, modal, App Home) handles their elements. */
export interface ElementHost {
  /** Delivers an action. Resolves when the app has answered. */
  press(press: Press): Promise<void>;
  /** Keeps the value of an input block until the form is submitted. */
  change(field: { blockId: string; actionId: string }, value: FieldValue): void;
  suggest(actionId: string, typed: string): Promise<readonly Choice[]>;
  /** Asks for confirmation. Resolves with the answer. */
  confirm(dialog: ConfirmationDialog): Promise<boolean>;
}

/** Provides the surface to the elements of its blocks. */
export const ElementHostContext = createContext<ElementHost | undefined>(undefined);

/** Returns the surface around an element. Throws outside of one. */
export function useElementHost(): ElementHost {
  const host = useContext(ElementHostContext);
  if (host === undefined) throw new Error('This element needs an ElementHostContext around it.');
  return host;
}

/** The position of an element, and whether it collects a value (input block) or acts at once. */
export interface Place {
  readonly blockId: string;
  readonly isField: boolean;
  /** Input blocks with `dispatch_action` do both. */
  readonly dispatches: boolean;
  /** Ids of the label and its control, in an input block. */
  readonly label?: { readonly id: string; readonly controlId: string };
  readonly describedBy?: string;
  readonly isInvalid?: boolean;
}

/** An element with an action, and optionally a confirmation that is shown first. */
interface Pressable {
  readonly action_id?: string;
  readonly confirm?: ConfirmationDialog;
}

/** Returns a function that delivers an element's actions, and whether one is in progress. */
export function usePress(element: Pressable, place: Place) {
  const host = useElementHost();
  const [isBusy, setBusy] = useState(false);
  const press = async (detail: { option?: string; value?: string }) => {
    if (element.confirm !== undefined && !(await host.confirm(element.confirm))) return;
    setBusy(true);
    try {
      await host.press({ actionId: element.action_id ?? '', blockId: place.blockId, ...detail });
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, press };
}

/** Returns the test hooks and accessible names that every control has. */
export function controlProps(element: { action_id?: string }, place: Place, fallbackLabel: string) {
  return {
    'data-action-id': element.action_id,
    'data-block-id': place.blockId,
    'aria-describedby': place.describedBy,
    'aria-invalid': place.isInvalid || undefined,
    ...(place.label === undefined
      ? { 'aria-label': fallbackLabel }
      : { 'aria-labelledby': place.label.id, id: place.label.controlId }),
  } as const;
}
