/** A new link over the list, shown once. */
import { useState } from 'react';
import { Button } from '@mantine/core';
import { Dialog } from '../shell/dialog';
import type { NewInvitation } from './calls';
import { LinkCard } from './link-card';
import { nameOf } from './row';
import { useInvitationTexts } from './texts';

export function LinkDialog({ made, onClose }: { made: NewInvitation | null; onClose: () => void }) {
  const texts = useInvitationTexts();
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(made);
  if (made !== null && made !== shown) setShown(made);
  const name = (shown === null ? null : nameOf(shown)) ?? texts.nameless;
  return (
    <Dialog opened={made !== null} title={texts.link.title(name)} isPinned onClose={onClose}>
      {shown !== null && <LinkCard key={shown.id} made={shown} />}
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {texts.link.close}
        </Button>
      </div>
    </Dialog>
  );
}
