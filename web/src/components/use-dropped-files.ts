/** Takes files that are dropped on the page; otherwise the browser would leave the page to show them. */
import { useState } from 'react';
import type { DragEvent } from 'react';

/** With `onFiles` null, dropped files are ignored. Spread `target` on the element. */
export function useDroppedFiles(onFiles: ((files: Iterable<File>) => void) | null) {
  const [isDropping, setDropping] = useState(false);
  const isOfFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files');
  const target = {
    onDragOver: (event: DragEvent) => {
      if (!isOfFiles(event)) return;
      event.preventDefault();
      setDropping(onFiles !== null);
    },
    onDragLeave: () => setDropping(false),
    onDrop: (event: DragEvent) => {
      if (!isOfFiles(event)) return;
      event.preventDefault();
      setDropping(false);
      onFiles?.(event.dataTransfer.files);
    },
  };
  return { isDropping, target };
}
