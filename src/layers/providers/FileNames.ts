/**
 * What the name of a file says of its media type, for files that name none. Endings that are not in common use say
 * nothing, and no content is looked at.
 */

const types: { readonly [type: string]: string } = {
  "application/epub+zip": "epub",
  "application/gzip": "gz",
  "application/json": "json",
  "application/msword": "doc",
  "application/pdf": "pdf",
  "application/rtf": "rtf",
  "application/vnd.ms-excel": "xls",
  "application/vnd.ms-powerpoint": "ppt",
  "application/vnd.oasis.opendocument.text": "odt",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/xml": "xml",
  "application/zip": "zip",
  "audio/aac": "aac",
  "audio/aiff": "aif aiff",
  "audio/amr": "amr",
  "audio/flac": "flac",
  "audio/mp4": "m4a mp4",
  "audio/mpeg": "mp3 mpga mpeg",
  "audio/ogg": "oga ogg opus",
  "audio/wav": "wav",
  "audio/webm": "weba webm",
  "image/avif": "avif",
  "image/bmp": "bmp",
  "image/gif": "gif",
  "image/heic": "heic",
  "image/jpeg": "jpeg jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/tiff": "tif tiff",
  "image/webp": "webp",
  "text/csv": "csv",
  "text/html": "htm html",
  "text/markdown": "md",
  "text/plain": "txt",
  "text/tab-separated-values": "tsv",
  "text/xml": "xml",
  "video/mp4": "m4v mp4",
  "video/mpeg": "mpeg mpg",
  "video/ogg": "ogg ogv",
  "video/quicktime": "mov",
  "video/webm": "webm",
  "video/x-matroska": "mkv",
  "video/x-msvideo": "avi"
}

const byEnding: ReadonlyMap<string, ReadonlyArray<string>> = Object.entries(types).reduce((all, [type, endings]) => {
  for (const ending of endings.split(" ")) all.set(ending, [...(all.get(ending) ?? []), type])
  return all
}, new Map<string, ReadonlyArray<string>>())

/** The media types that a file of this name may have: several where sound and film share an ending, or none. */
export const typesOfName = (filename: string): ReadonlyArray<string> =>
  byEnding.get(/\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? "") ?? []
