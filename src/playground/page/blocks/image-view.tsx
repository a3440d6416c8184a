/** Shows an image by its alt text: the page loads nothing from elsewhere. */
export function ImageView({ alt, title }: { alt: string; title?: string }) {
  return (
    <span class="picture" role="img" aria-label={alt}>
      🖼️ {title === undefined ? alt : `${title} (${alt})`}
    </span>
  );
}
