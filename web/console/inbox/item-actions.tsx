/** What a person does with an item, one step each. Keys: t takes over, h hands back, c closes. */
import { useState } from 'react';
import { BusyButton } from '../shell/busy-button';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { useKeys } from '../shell/keyboard';
import { failed, told } from '../shell/notice';
import { useProblem } from '../shell/use-problem';
import { claimItem, handBack, releaseItem, replayItem, takeOver } from './calls';
import type { Item } from './calls';
import { CloseDialog } from './close-dialog';
import { useHolder } from './holder';
import { useInboxTexts } from './texts';

interface ItemActionsProps {
  item: Item;
  onChanged: () => void;
  /** There is nothing more to do with it. */
  onDone: () => void;
}

export function ItemActions({ item, onChanged, onDone }: ItemActionsProps) {
  const texts = useInboxTexts();
  const problemOf = useProblem(texts.problems);
  const holder = useHolder(item);
  const [isBusy, setBusy] = useState(false);
  const [isClosing, setClosing] = useState(false);
  const [question, setQuestion] = useState<Question | null>(null);
  const { id, about, closedAt, conversationId, isReplayable } = item;
  const run =
    (work: () => Promise<unknown>, message: string, then = onChanged) =>
    async () => {
      if (isBusy) return;
      setBusy(true);
      try {
        await work();
        told(message);
        then();
      } catch (error) {
        failed(problemOf(error));
        onChanged();
      } finally {
        setBusy(false);
      }
    };
  const isOpen = closedAt === null;
  const isFree = holder.kind !== 'other';
  const owner = about?.owner;
  const mayTakeOver =
    isOpen &&
    isFree &&
    conversationId !== null &&
    owner !== 'person' &&
    about?.status !== 'withdrawn';
  const mayHandBack = isFree && owner !== undefined && owner !== 'model';
  const toPerson = run(() => takeOver(id), texts.told.takenOver);
  const back = run(() => handBack(id), texts.told.handedBack);
  useKeys({
    ...(mayTakeOver ? { t: () => void toPerson() } : {}),
    ...(mayHandBack ? { h: () => void back() } : {}),
    ...(isOpen && isFree ? { c: () => setClosing(true) } : {}),
  });
  if (!isOpen && !mayHandBack) return null;
  return (
    <div className="inbox-actions">
      {holder.kind === 'other' && (
        <BusyButton
          variant="default"
          isBusy={isBusy}
          onClick={() =>
            setQuestion({
              title: texts.item.takeFromTitle(holder.name),
              text: texts.item.takeFromText,
              action: texts.item.takeFrom(holder.name),
              run: run(() => claimItem(id, holder.actor), texts.told.claimed),
            })
          }
        >
          {texts.item.takeFrom(holder.name)}
        </BusyButton>
      )}
      {mayTakeOver && (
        <BusyButton isBusy={isBusy} aria-keyshortcuts="t" onClick={() => void toPerson()}>
          {texts.item.takeOver}
        </BusyButton>
      )}
      {mayHandBack && (
        <BusyButton
          variant="default"
          isBusy={isBusy}
          aria-keyshortcuts="h"
          onClick={() => void back()}
        >
          {texts.item.handBack}
        </BusyButton>
      )}
      {isOpen && isFree && isReplayable && (
        <BusyButton
          variant="default"
          isBusy={isBusy}
          onClick={() => void run(() => replayItem(id), texts.told.replayed, onDone)()}
        >
          {texts.item.replay}
        </BusyButton>
      )}
      {isOpen && holder.kind === 'nobody' && (
        <BusyButton
          variant="default"
          isBusy={isBusy}
          onClick={() => void run(() => claimItem(id, null), texts.told.claimed)()}
        >
          {texts.item.claim}
        </BusyButton>
      )}
      {isOpen && holder.kind === 'you' && (
        <BusyButton
          variant="default"
          isBusy={isBusy}
          onClick={() => void run(() => releaseItem(id), texts.told.released)()}
        >
          {texts.item.release}
        </BusyButton>
      )}
      {isOpen && isFree && (
        <BusyButton
          variant="default"
          isBusy={isBusy}
          aria-keyshortcuts="c"
          onClick={() => setClosing(true)}
        >
          {texts.item.close}
        </BusyButton>
      )}
      <CloseDialog
        item={item}
        opened={isClosing}
        onClose={() => setClosing(false)}
        onClosed={() => {
          setClosing(false);
          onDone();
        }}
        onChanged={onChanged}
      />
      <ConfirmDialog question={question} onClose={() => setQuestion(null)} />
    </div>
  );
}
