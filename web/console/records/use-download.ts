/** Saves a file, one at a time, and says how that ended. */
import { useState } from 'react';
import { failed, told } from '../shell/notice';
import { useProblem } from '../shell/use-problem';
import { download } from './download';
import { useRecordsTexts } from './texts';

export function useDownload(): { isBusy: boolean; save: (place: string) => Promise<void> } {
  const { saved } = useRecordsTexts();
  const problemOf = useProblem(useRecordsTexts().problems);
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
