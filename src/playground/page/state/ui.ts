import type { ConfirmationDialog } from '@slack/types';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Ack, FormValues } from '../../workspace/workspace-port.ts';
import type { Backend } from './backend.ts';
import type { ElementHost, FieldValue, Press } from './element-host.ts';
import type { Go, Route } from './route.ts';

/** Functions available to every component. */
export interface Ui {
  readonly backend: Backend;
  readonly route: Route;
  readonly go: Go;
  confirm(dialog: ConfirmationDialog): Promise<boolean>;
  notify(text: string): void;
  /** Awaits the work. If it fails, shows the error and resolves with undefined. */
  attempt<T>(work: Promise<T>): Promise<T | undefined>;
}

/** Provides `Ui` to all components. */
export const UiContext = createContext<Ui | undefined>(undefined);

/** Returns `Ui`. Throws outside of the app. */
export function useUi(): Ui {
  const ui = useContext(UiContext);
  if (ui === undefined) throw new Error('This component needs a UiContext around it.');
  return ui;
}

/** Creates the host of a message's blocks, which keep no form values. */
export function createHost(ui: Ui, press: (press: Press) => Promise<Ack>): ElementHost {
  return {
    press: async (target) => {
      await ui.attempt(press(target));
    },
    change: () => undefined,
    suggest: async (actionId, typed) =>
      (await ui.attempt(ui.backend.suggest(actionId, typed))) ?? [],
    confirm: ui.confirm,
  };
}

/**
 * Creates the host of a view's blocks. Actions include the values of the fields that are present.
 */
export function createFormHost(
  ui: Ui,
  press: (press: Press & { values: FormValues }) => Promise<Ack>,
  isPresent: (id: string) => boolean = () => true,
): ElementHost & { values(): FormValues } {
  const typed = new Map<string, FieldValue>();
  const values = () => Object.fromEntries([...typed].filter(([id]) => isPresent(id)));
  return {
    ...createHost(ui, (target) => press({ ...target, values: values() })),
    change: ({ blockId, actionId }, value) => {
      typed.set(blockId || actionId, value);
    },
    values,
  };
}
