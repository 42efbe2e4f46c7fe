" Files of the Kern language
autocmd BufRead,BufNewFile *.kern setfiletype kern
