/** What can be done with the selected interviews; below the list, where the window ends. */
import { Button } from '@mantine/core';
import { BusyButton } from '../shell/busy-button';
import { useKeys } from '../shell/keyboard';
import type { Selection } from './selection';
import { useInterviewTexts } from './texts';
import type { Actions } from './use-actions';

interface ActionBarProps {
  selection: Selection;
  actions: Actions;
  onClear: () => void;
}

const ACTIONS = [
  ['remind', 'm'],
  ['close', 'c'],
  ['reissue', 'l'],
] as const;

export function ActionBar({ selection, actions, onClear }: ActionBarProps) {
  const texts = useInterviewTexts();
  const isEmpty = selection.size === 0;
  const run = (action: (typeof ACTIONS)[number][0]) => (): unknown =>
    isEmpty ? false : void actions.run(action, selection);
  useKeys({
    ...Object.fromEntries(ACTIONS.map(([action, key]) => [key, run(action)] as const)),
    Escape: () => (isEmpty ? false : onClear()),
  });
  if (isEmpty) return null;
  return (
    <div className="action-bar" role="region" aria-label={texts.bar}>
      <strong role="status">{texts.selected(selection.size)}</strong>
      {ACTIONS.map(([action, key]) => (
        <BusyButton
          key={action}
          size="compact-md"
          variant="default"
          isBusy={actions.isBusy}
          aria-keyshortcuts={key}
          rightSection={<kbd className="key">{key}</kbd>}
          onClick={run(action)}
        >
          {texts.actions[action]}
        </BusyButton>
      ))}
      <Button size="compact-md" variant="subtle" aria-keyshortcuts="Escape" onClick={onClear}>
        {texts.clear}
      </Button>
    </div>
  );
}
