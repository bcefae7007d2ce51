/** Saves a file, one at a time, and says how that ended. */
import { useState } from 'react';
import { failed, told } from '../shell/notice';
import { download } from './download';
import { useRecordsTexts } from './texts';
import { useProblem } from './use-problem';

export function useDownload(): { isBusy: boolean; save: (place: string) => Promise<void> } {
  const { saved } = useRecordsTexts();
  const problemOf = useProblem();
  const [isBusy, setBusy] = useState(false);
  const save = async (place: string): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    try {
      await download(place);
      told(saved);
    } catch (error) {
      failed(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, save };
}
