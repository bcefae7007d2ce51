/** Somebody else has changed the vacancy: says so, and shows both so that the person can choose. Nothing is lost. */
import { useState } from 'react';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { colleagueOf } from '../actor';
import { Dialog } from '../shell/dialog';
import { failed, told } from '../shell/notice';
import { listVersions } from './calls';
import { Difference } from './difference';
import { useVacanciesTexts } from './texts';
import type { DraftState } from './use-draft';

interface ConflictProps {
  slug: string;
  draft: DraftState;
  /** The save was refused because of it: the difference is shown at once. */
  isAsked: boolean;
  onChosen: () => void;
}

export function Conflict({ slug, draft, isAsked, onChosen }: ConflictProps) {
  const { conflict, page } = useVacanciesTexts();
  const [isOpened, setOpened] = useState(false);
  const { theirs, text } = draft;
  const { data } = useQuery({
    queryKey: ['vacancy', slug, 'versions'],
    queryFn: () => listVersions(slug),
    enabled: theirs !== null,
  });
  if (theirs === null) return null;
  const newest = data?.items.find(({ version }) => version === theirs.version);
  const close = (): void => {
    setOpened(false);
    onChosen();
  };
  const keepMine = (): void => {
    draft.keepMine();
    told(conflict.mineKept);
    close();
  };
  const takeTheirs = (): void => {
    if (draft.putAside()) told(conflict.theirsShown);
    else failed(page.noRoom);
    close();
  };
  return (
    <>
      <div className="vacancy-notice" role="status">
        <p>{conflict.notice(colleagueOf(newest?.madeBy ?? ''))}</p>
        <Button variant="default" size="sm" onClick={() => setOpened(true)}>
          {conflict.compare}
        </Button>
      </div>
      <Dialog opened={isOpened || isAsked} title={conflict.title} isPinned onClose={close}>
        <p>{conflict.text}</p>
        <Difference before={theirs.text} after={text} />
        <div className="dialog-actions">
          <Button variant="default" onClick={takeTheirs}>
            {conflict.theirs}
          </Button>
          <Button data-autofocus onClick={keepMine}>
            {conflict.mine}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
